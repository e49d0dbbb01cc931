import DataModels
import Foundation

/// A model read from its source, together with that source.
///
/// ```swift
/// let source = try SourceModel(contentsOf: URL(fileURLWithPath: "Shop.xcdatamodeld"))
/// for entity in source.model.entities { print(entity.name ?? "") }
/// for warning in source.diagnostics { print(warning) }
/// ```
///
/// What only a source says, such as the editor's layout, scalar types and generated classes, stays
/// with the model: ``SourceWriter`` gives it back, also after the model was changed.
public struct SourceModel: Sendable {
  /// The document that the model was read from.
  public let document: SourceDocument
  /// The model.
  public let model: NSManagedObjectModel
  /// The warnings, in the order of the document; errors too, where the source was read tolerantly.
  public let diagnostics: [SourceDiagnostic]
  /// What the document declares.
  let declaration: ModelDeclaration

  /// Reads a model: a lone `.xcdatamodel`, a bare `contents`, or the current version of an
  /// `.xcdatamodeld`.
  ///
  /// - Throws: ``ModelSourceError`` with everything that is wrong; also when a bundle has several
  ///   versions and doesn't say which one is current.
  public init(
    contentsOf url: URL, options: SourceReadingOptions = SourceReadingOptions()
  ) throws {
    let package = try ModelPackage(at: url)
    guard let version = package.currentVersion else {
      throw ModelSourceError(
        .version, path: url.relativePath,
        "there are \(package.versions.count) versions and none is marked as current; name one")
    }
    try self.init(version: version, options: options)
  }

  /// Reads one version of a package.
  ///
  /// - Throws: ``ModelSourceError`` with everything that is wrong with the version.
  public init(
    version: ModelPackage.Version, options: SourceReadingOptions = SourceReadingOptions()
  ) throws {
    try self.init(document: version.document(limits: options.limits), options: options)
  }

  /// Reads the bytes of a `contents` file.
  ///
  /// - Throws: ``ModelSourceError`` with everything that is wrong.
  public init(
    data: Data, path: String = "contents",
    options: SourceReadingOptions = SourceReadingOptions()
  ) throws {
    try self.init(
      document: SourceDocument(data: data, path: path, limits: options.limits), options: options)
  }

  /// Reads the bytes of a binary `elements` file, as mapping models hold copies of it.
  ///
  /// - Throws: ``ModelSourceError`` with everything that is wrong.
  init(
    legacy data: Data, path: String, options: SourceReadingOptions = SourceReadingOptions()
  ) throws {
    try self.init(
      document: LegacyModelReader.document(data: data, path: path), options: options)
  }

  /// Reads a document.
  ///
  /// - Throws: ``ModelSourceError`` with everything that is wrong.
  public init(
    document: SourceDocument, options: SourceReadingOptions = SourceReadingOptions()
  ) throws {
    var log = DiagnosticLog(document)
    (declaration, model) = Self.read(document, options: options, log: &log)
    let found = log.sorted.filter { !options.skippedRules.contains($0.rule) }
    if !options.isTolerant || document.root.name != "model",
      found.contains(where: { $0.severity == .error })
    {
      throw ModelSourceError(diagnostics: found)
    }
    self.document = document
    diagnostics = found
    model.preserved = SourceOrigin(document: document, moduleName: options.moduleName)
  }

  private static func read(
    _ document: SourceDocument, options: SourceReadingOptions, log: inout DiagnosticLog
  ) -> (ModelDeclaration, NSManagedObjectModel) {
    var declaration = DeclarationReader.read(document, log: &log)
    var index = DeclarationIndex(declaration)
    SourceChecks.check(index, groups: options.ruleGroups, log: &log)
    if options.isTolerant, log.hasErrors {
      var content = declaration.content
      content.dropWhatHasNoName()
      declaration = ModelDeclaration(content)
      index = DeclarationIndex(declaration)
    }
    return (declaration, ModelBuilder.build(index, options: options, log: &log))
  }

  /// Checks a document without keeping the model: every finding, errors included.
  ///
  /// - Returns: The findings, in the order of the document.
  public static func diagnostics(
    of document: SourceDocument, options: SourceReadingOptions = SourceReadingOptions()
  ) -> [SourceDiagnostic] {
    var log = DiagnosticLog(document)
    _ = read(document, options: options, log: &log)
    return log.sorted.filter { !options.skippedRules.contains($0.rule) }
  }
}

/// How a source is read.
public struct SourceReadingOptions: Sendable, Hashable {
  /// The module whose name replaces the leading dot of a class's name (`.Person`); nil leaves the
  /// point, as momc without `--module` does.
  public var moduleName: String?
  /// The rule sets to check, in addition to what the compiler always checks.
  public var ruleGroups: Set<SourceRule.Group> = [.compile]
  /// Rules whose findings are left out, errors too.
  public var skippedRules: Set<SourceRule> = []
  /// How large a document may be.
  public var limits = SourceLimits.default
  /// Whether a model is made whatever errors are found, which are then among ``SourceModel/diagnostics``:
  /// for those who look at models and don't judge them. What has no name, or that of another thing, is left
  /// out; what leads nowhere leads to nothing. A document that isn't XML, or isn't a model, is refused all the
  /// same. False unless set.
  public var isTolerant = false

  /// Makes the options of a plain compilation.
  public init(moduleName: String? = nil) {
    self.moduleName = moduleName
  }
}
