import DataModels
import Foundation

/// Writes models as sources, in the very form that Xcode writes.
///
/// ```swift
/// let writer = SourceWriter(model)
/// try Data(writer.xml.utf8).write(to: url)
/// for loss in writer.losses { print("not written: \(loss)") }
/// ```
///
/// A model that was read from a source keeps what only the source said (editor layout, scalar types,
/// generated classes, unknown elements and attributes, comments), and what didn't change stays as it
/// was, letter by letter.
public struct SourceWriter: Sendable {
  /// What the order of attributes and elements follows.
  public enum Order: Sendable, Hashable {
    /// The source the model was read from; Xcode's order for what is new.
    case original
    /// Xcode's order for everything.
    case xcode
  }

  /// The tree that is written.
  public let root: SourceElement
  /// A sentence for each thing that a source can't express, and that isn't written.
  public let losses: [String]
  private let endsWithLineFeed: Bool

  /// Prepares to write a model.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - order: What the order follows; of no effect when the model wasn't read from a source.
  ///   - donor: Another model read from a source, from which the model got some of what it has now;
  ///     what only that source says of it is taken over. `nil` for none.
  public init(
    _ model: NSManagedObjectModel, order: Order = .original, donor: NSManagedObjectModel? = nil
  ) {
    let written = ModelElements.element(for: model)
    losses = written.losses
    guard let origin = model.preserved as? SourceOrigin, let base = origin.model() else {
      root = XcodeOrder.sorted(written.root)
      endsWithLineFeed = false
      return
    }
    var trees = SourceGraft.Trees(
      base: ModelElements.element(for: base).root, original: origin.document.root)
    if let donor = donor?.preserved as? SourceOrigin, let model = donor.model() {
      SourceGraft.graft(
        written.root,
        from: SourceGraft.Trees(
          base: ModelElements.element(for: model).root, original: donor.document.root),
        onto: &trees)
    }
    let merged = SourceMerge.merge(
      base: trees.base, current: written.root, original: trees.original)
    root = order == .xcode ? XcodeOrder.sorted(merged) : merged
    endsWithLineFeed = order == .original && origin.document.endsWithLineFeed
  }

  /// The text of the version's `contents`.
  public var xml: String {
    SourceFormatter.format(root) + (endsWithLineFeed ? "\n" : "")
  }
}

/// What a model that was read from a source remembers of it.
struct SourceOrigin: Sendable {
  /// The source.
  let document: SourceDocument
  /// The module whose name class names got.
  let moduleName: String?

  /// The model as it was when it was read.
  func model() -> NSManagedObjectModel? {
    var options = SourceReadingOptions(moduleName: moduleName)
    options.ruleGroups = []
    return try? SourceModel(document: document, options: options).model
  }
}
