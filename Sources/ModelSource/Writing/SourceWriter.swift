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
  /// In a merge, what only sources say and both sides changed differently; what is written has one side's.
  public let conflicts: [SourceConflict]
  /// The comments behind the tree.
  private let trailingComments: [String]
  /// How ``data`` stands in bytes: as the source did that the model was read from.
  public let form: SourceForm

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
  /// What only sources say is merged too: comments, generated classes, scalar types, what isn't known. Where both
  /// sides changed it differently, one side's is written, and ``conflicts`` tells. Of rival stamps of tools
  /// (`lastSavedToolsVersion`, `systemVersion`, `minimumToolsVersion`, `documentVersion`) the newer is written, and of
  /// rival places in the editor ours; those are no conflicts. If our source is as the base's is, theirs is written,
  /// letter by letter. The form is ours.
  ///
  /// - Parameters:
  ///   - merged: The merged model, a changed copy of ours.
  ///   - base: The model both sides began with; `nil` for none.
  ///   - theirs: The other side's model; `nil` for none.
  ///   - names: What the three models' entities and properties are called in the merged one.
  ///   - prefersTheirs: Whether theirs is written of what is contested, and not ours.
  public init(
    merged: NSManagedObjectModel, base: NSManagedObjectModel?, theirs: NSManagedObjectModel?,
    names: MergedNames = MergedNames(), prefersTheirs: Bool = false
  ) {
    let written = ModelElements.element(for: merged)
    guard let ours = merged.preserved as? SourceOrigin,
      let donor = theirs?.preserved as? SourceOrigin,
      let ourModel = ours.model(), let donorModel = donor.model()
    else {
      self.init(merged, written, order: .original)
      return
    }
    var host = SourceGraft.Trees(names.ours, ourModel, ours.document)
    let given = SourceGraft.Trees(names.theirs, donorModel, donor.document)
    let start = (base?.preserved as? SourceOrigin)?.document
    var form = ours.document.form
    var trailingComments = ours.document.trailingComments
    var details = SourceDetailsMerge(prefersTheirs: prefersTheirs)
    if let start, start.saysSame(as: ours.document) {
      host = given
      trailingComments = donor.document.trailingComments
      if start.form == form { form = donor.document.form }
    } else {
      details.merge(
        base: start.map { SourceAlignment.aligned($0.root, names.base) },
        theirs: given.original, into: &host.original, written: written.root)
      trailingComments = details.merge(
        comments: start?.trailingComments ?? [], trailingComments, donor.document.trailingComments)
    }
    SourceGraft.graft(written.root, from: given, onto: &host)
    let root = SourceMerge(keepsDetails: true)
      .merge(base: host.base, current: written.root, original: host.original)
    self.init(
      root: root, losses: written.losses, conflicts: details.conflicts,
      trailingComments: trailingComments, form: form)
  }

  private init(
    _ model: NSManagedObjectModel, _ written: (root: SourceElement, losses: [String]), order: Order
  ) {
    guard let origin = model.preserved as? SourceOrigin, let base = origin.model() else {
      self.init(root: XcodeOrder.sorted(written.root), losses: written.losses)
      return
    }
    let merged = SourceMerge().merge(
      base: ModelElements.element(for: base).root, current: written.root,
      original: origin.document.root)
    self.init(
      root: order == .xcode ? XcodeOrder.sorted(merged) : merged, losses: written.losses,
      trailingComments: origin.document.trailingComments,
      form: order == .original ? origin.document.form : SourceForm())
  }

  private init(
    root: SourceElement, losses: [String], conflicts: [SourceConflict] = [],
    trailingComments: [String] = [], form: SourceForm = SourceForm()
  ) {
    self.root = root
    self.losses = losses
    self.conflicts = conflicts
    self.trailingComments = trailingComments
    self.form = form
  }

  /// The text of the version's `contents`.
  public var xml: String { SourceFormatter.format(root, trailingComments, form) }

  /// The bytes of the version's `contents`, in the form of the source that the model was read from.
  public var data: Data { form.data(of: xml) }
}

extension SourceGraft.Trees {
  fileprivate init(
    _ names: ModelNames, _ model: NSManagedObjectModel, _ document: SourceDocument
  ) {
    base = SourceAlignment.aligned(ModelElements.element(for: model).root, names)
    original = SourceAlignment.aligned(document.root, names)
  }
}

extension SourceDocument {
  /// Whether two documents say the same, wherever it stands.
  fileprivate func saysSame(as other: SourceDocument) -> Bool {
    root.withoutOffsets() == other.root.withoutOffsets()
      && trailingComments == other.trailingComments
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
