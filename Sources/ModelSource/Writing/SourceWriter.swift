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
  public init(_ model: NSManagedObjectModel, order: Order = .original) {
    self.init(model, ModelElements.element(for: model), order: order)
  }

  /// Prepares to write what a merge made of a model that was read from a source.
  ///
  /// What only sources say (layout, scalar types, generated classes, comments) is merged too; where both
  /// sides changed it, ours stays. If our source is as the base's is, theirs is written, letter by letter.
  ///
  /// - Parameters:
  ///   - merged: The merged model, a changed copy of ours.
  ///   - base: The model both sides began with; `nil` for none.
  ///   - theirs: The other side's model; `nil` for none.
  public init(
    merged: NSManagedObjectModel, base: NSManagedObjectModel?, theirs: NSManagedObjectModel?
  ) {
    let written = ModelElements.element(for: merged)
    guard let ours = merged.preserved as? SourceOrigin,
      let donor = theirs?.preserved as? SourceOrigin,
      let ourModel = ours.model(), let donorModel = donor.model()
    else {
      self.init(merged, written, order: .original)
      return
    }
    var host = SourceGraft.Trees(
      base: ModelElements.element(for: ourModel).root, original: ours.document.root)
    let given = SourceGraft.Trees(
      base: ModelElements.element(for: donorModel).root, original: donor.document.root)
    var endsWithLineFeed = ours.document.endsWithLineFeed
    if let base = base?.preserved as? SourceOrigin {
      if base.document.root.withoutOffsets() == ours.document.root.withoutOffsets() {
        host = given
        endsWithLineFeed = donor.document.endsWithLineFeed
      } else {
        SourceDetails.merge(
          base: base.document.root, theirs: donor.document.root, into: &host.original)
      }
    }
    SourceGraft.graft(written.root, from: given, onto: &host)
    self.init(
      root: SourceMerge.merge(base: host.base, current: written.root, original: host.original),
      losses: written.losses, endsWithLineFeed: endsWithLineFeed)
  }

  private init(root: SourceElement, losses: [String], endsWithLineFeed: Bool) {
    self.root = root
    self.losses = losses
    self.endsWithLineFeed = endsWithLineFeed
  }

  private init(
    _ model: NSManagedObjectModel, _ written: (root: SourceElement, losses: [String]), order: Order
  ) {
    guard let origin = model.preserved as? SourceOrigin, let base = origin.model() else {
      self.init(
        root: XcodeOrder.sorted(written.root), losses: written.losses, endsWithLineFeed: false)
      return
    }
    let merged = SourceMerge.merge(
      base: ModelElements.element(for: base).root, current: written.root,
      original: origin.document.root)
    self.init(
      root: order == .xcode ? XcodeOrder.sorted(merged) : merged, losses: written.losses,
      endsWithLineFeed: order == .original && origin.document.endsWithLineFeed)
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
