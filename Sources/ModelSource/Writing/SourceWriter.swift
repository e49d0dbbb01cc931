import DataModels
import Foundation

/// Writes models as sources, in exactly the format that Xcode writes.
///
/// ```swift
/// let writer = SourceWriter(model)
/// try writer.data.write(to: url)
/// for loss in writer.losses { print("not written: \(loss)") }
/// ```
///
/// A model that was read from a source keeps the content that only the source has (editor layout, scalar types,
/// generated classes, unknown elements and attributes, comments), and unchanged parts are kept verbatim.
public struct SourceWriter: Sendable {
  /// The order of attributes and elements.
  public enum Order: Sendable, Hashable {
    /// The order of the source the model was read from; Xcode's order for additions.
    case original
    /// Xcode's order for all elements.
    case xcode
  }

  /// The tree to write.
  public let root: SourceElement
  /// A sentence for each aspect that a source can't express, and that isn't written.
  public let losses: [String]
  /// In a merge, the conflicts in content that only sources have; what is written has one side's edit.
  public let conflicts: [SourceConflict]
  /// The comments after the root element.
  private let trailingComments: [String]
  /// The form of ``data``, which is that of the source the model was read from.
  public let form: SourceForm

  /// Creates a writer for a model.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - order: The order of attributes and elements; has no effect if the model wasn't read from a source.
  public init(_ model: NSManagedObjectModel, order: Order = .original) {
    guard let origin = model.preserved as? SourceOrigin, let base = origin.model() else {
      let written = ModelElements.element(for: model)
      self.init(root: XcodeOrder.sorted(written.root), losses: written.losses)
      return
    }
    let (start, written) = ModelElements.elements(base: base, current: model)
    let merged = SourceMerge().merge(
      base: start, current: written.root, original: origin.document.root)
    self.init(
      root: order == .xcode ? XcodeOrder.sorted(merged) : merged, losses: written.losses,
      trailingComments: origin.document.trailingComments,
      form: order == .original ? origin.document.form : SourceForm())
  }

  /// Creates a writer for the result of merging models that were read from sources.
  ///
  /// Content that only sources have is merged too: comments, generated classes, scalar types, unknown content. If both
  /// sides changed it differently, one side's edit is written, and reported in ``conflicts``. Of different tool
  /// versions (`lastSavedToolsVersion`, `systemVersion`, `minimumToolsVersion`, `documentVersion`) the newer is
  /// written, and of different positions in the editor ours; these are not conflicts. If our source equals the base's,
  /// theirs is written verbatim. The form is that of the side that changed it, or else ours.
  ///
  /// - Parameters:
  ///   - merged: The merged model, a modified copy of ours.
  ///   - base: The common ancestor; `nil` for none.
  ///   - theirs: The other side's model; `nil` for none.
  ///   - names: The names in the merged model of the three models' entities and properties.
  ///   - prefersTheirs: Whether conflicts are resolved in favour of their side rather than ours.
  public init(
    merged: NSManagedObjectModel, base: NSManagedObjectModel?, theirs: NSManagedObjectModel?,
    names: MergedNames = MergedNames(), prefersTheirs: Bool = false
  ) {
    guard let ours = merged.preserved as? SourceOrigin,
      let donor = theirs?.preserved as? SourceOrigin,
      let ourModel = ours.model(), let donorModel = donor.model()
    else {
      self.init(merged)
      return
    }
    var written = ModelElements.element(for: merged)
    // Composites are merged from the sources.
    written.root.children.removeAll { $0.name == "composite" }
    var host = SourceGraft.Trees(of: ourModel, document: ours.document, names: names.ours)
    var given = SourceGraft.Trees(of: donorModel, document: donor.document, names: names.theirs)
    let start = (base?.preserved as? SourceOrigin)?.document
    let form = SourceForm.merged(
      base: start?.form ?? donor.document.form, ours: ours.document.form,
      theirs: donor.document.form)
    var trailingComments = ours.document.trailingComments
    var details = SourceDetailsMerge(prefersTheirs: prefersTheirs)
    if let start, start.hasSameContent(as: ours.document) {
      host = given
      trailingComments = donor.document.trailingComments
    } else {
      var root = start.map { SourceAlignment.aligned($0.root, names.base) }
      details.alignComposites(base: &root, ours: &host.original, theirs: &given.original)
      details.merge(
        base: root, theirs: given.original, into: &host.original, written: written.root)
      trailingComments = details.merge(
        comments: start?.trailingComments ?? [], ours: trailingComments,
        theirs: donor.document.trailingComments)
    }
    let ourOriginal = host.original
    SourceGraft.graft(written.root, from: given, onto: &host)
    var root = SourceMerge(keepsDetails: true)
      .merge(base: host.base, current: written.root, original: host.original)
    details.restoreComposites(in: &root, ours: ourOriginal, theirs: given.original)
    self.init(
      root: root, losses: written.losses, conflicts: details.conflicts,
      trailingComments: trailingComments, form: form)
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

  /// The text of the version's `contents` file.
  public var xml: String {
    SourceFormatter.format(root, trailingComments: trailingComments, form: form)
  }

  /// The bytes of the version's `contents` file, in the form of the source that the model was read from.
  public var data: Data { form.data(of: xml) }
}

extension SourceGraft.Trees {
  fileprivate init(
    of model: NSManagedObjectModel, document: SourceDocument, names: ModelNames
  ) {
    base = SourceAlignment.aligned(ModelElements.element(for: model).root, names)
    base.children.removeAll { $0.name == "composite" }
    original = SourceAlignment.aligned(document.root, names)
  }
}

extension SourceDocument {
  /// Whether two documents are equal, ignoring locations.
  fileprivate func hasSameContent(as other: SourceDocument) -> Bool {
    root.withoutOffsets() == other.root.withoutOffsets()
      && trailingComments == other.trailingComments
  }
}

/// The origin of a model that was read from a source.
struct SourceOrigin: Sendable {
  /// The source.
  let document: SourceDocument
  /// The module that class names were qualified with.
  let moduleName: String?
  /// Whether what models can't contain was dropped: the second of two things with one name, and what has none.
  let isReduced: Bool

  /// The model as it was when it was read.
  func model() -> NSManagedObjectModel? {
    var options = SourceReadingOptions(moduleName: moduleName)
    options.ruleGroups = []
    // It may have been read tolerantly; otherwise there are no errors to tolerate.
    options.isTolerant = true
    // Without rules, the errors aren't found for which it was done. What is in this model but not in the one that was
    // read would be taken for removed.
    options.isReducing = isReduced
    return try? SourceModel(document: document, options: options).model
  }
}
