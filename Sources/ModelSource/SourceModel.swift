import DataModels
import Foundation

/// A model together with the source it was read from.
///
/// ```swift
/// let source = try SourceModel(contentsOf: URL(fileURLWithPath: "Shop.xcdatamodeld"))
/// for entity in source.model.entities { print(entity.name ?? "") }
/// for warning in source.diagnostics { print(warning) }
/// ```
///
/// Content that only sources have, such as the editor's layout, scalar types and generated classes, is kept with the
/// model: ``SourceWriter`` writes it again, even after the model was changed.
public struct SourceModel: Sendable {
  /// The document that the model was read from.
  public let document: SourceDocument
  /// The model.
  public let model: NSManagedObjectModel
  /// The warnings, in document order; also errors, if the source was read tolerantly.
  public let diagnostics: [SourceDiagnostic]
  /// The document's declarations.
  let declaration: ModelDeclaration

  /// Reads a model: a single `.xcdatamodel`, a bare `contents` file, or the current version of an `.xcdatamodeld`.
  ///
  /// - Throws: ``ModelSourceError`` with all errors; also when a bundle has several versions and none is marked as
  ///   current.
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
  /// - Throws: ``ModelSourceError`` with all errors in the version.
  public init(
    version: ModelPackage.Version, options: SourceReadingOptions = SourceReadingOptions()
  ) throws {
    try self.init(document: version.document(limits: options.limits), options: options)
  }

  /// Parses the contents of a `contents` file.
  ///
  /// - Throws: ``ModelSourceError`` with all errors.
  public init(
    data: Data, path: String = "contents",
    options: SourceReadingOptions = SourceReadingOptions()
  ) throws {
    try self.init(
      document: SourceDocument(data: data, path: path, limits: options.limits), options: options)
  }

  /// Parses the contents of a binary `elements` file, copies of which are contained in mapping models.
  ///
  /// - Throws: ``ModelSourceError`` with all errors.
  init(
    legacy data: Data, path: String, options: SourceReadingOptions = SourceReadingOptions()
  ) throws {
    try self.init(
      document: LegacyModelReader.document(data: data, path: path), options: options)
  }

  /// Interprets a document.
  ///
  /// - Throws: ``ModelSourceError`` with all errors.
  public init(
    document: SourceDocument, options: SourceReadingOptions = SourceReadingOptions()
  ) throws {
    var log = DiagnosticLog(document)
    let isReduced: Bool
    (declaration, model, isReduced) = Self.read(document, options: options, log: &log)
    let found = log.sorted.filter { !options.skippedRules.contains($0.rule) }
    if !options.isTolerant || document.root.name != "model",
      found.contains(where: { $0.severity == .error })
    {
      throw ModelSourceError(diagnostics: found)
    }
    self.document = document
    diagnostics = found
    model.preserved = SourceOrigin(
      document: document, moduleName: options.moduleName, isReduced: isReduced)
  }

  /// Reads a document; `isReduced` tells whether what models can't contain was dropped.
  private static func read(
    _ document: SourceDocument, options: SourceReadingOptions, log: inout DiagnosticLog
  ) -> (ModelDeclaration, NSManagedObjectModel, isReduced: Bool) {
    var declaration = DeclarationReader.read(document, log: &log)
    var index = DeclarationIndex(declaration)
    SourceChecks.check(index, groups: options.ruleGroups, log: &log)
    let isReduced = options.isReducing ?? (options.isTolerant && log.hasErrors)
    if isReduced {
      var content = declaration.content
      content.dropUnnamed()
      declaration = ModelDeclaration(content)
      index = DeclarationIndex(declaration)
    }
    return (declaration, ModelBuilder.build(index, options: options, log: &log), isReduced)
  }

  /// Checks the source that a model was read from; empty for any other model.
  ///
  /// - Returns: The diagnostics, including errors, in document order.
  public static func diagnostics(ofSourceOf model: NSManagedObjectModel) -> [SourceDiagnostic] {
    guard let origin = model.preserved as? SourceOrigin else { return [] }
    return diagnostics(
      of: origin.document, options: SourceReadingOptions(moduleName: origin.moduleName))
  }

  /// Checks a document without keeping the model, and returns all diagnostics, including errors.
  ///
  /// - Returns: The diagnostics, in document order.
  public static func diagnostics(
    of document: SourceDocument, options: SourceReadingOptions = SourceReadingOptions()
  ) -> [SourceDiagnostic] {
    var log = DiagnosticLog(document)
    _ = read(document, options: options, log: &log)
    return log.sorted.filter { !options.skippedRules.contains($0.rule) }
  }
}

/// Options for reading a source.
public struct SourceReadingOptions: Sendable, Hashable {
  /// The module whose name replaces the leading dot of a class name (`.Person`); nil keeps the dot, like momc without
  /// `--module`.
  public var moduleName: String?
  /// The rule sets to check, in addition to what the compiler always checks.
  public var ruleGroups: Set<SourceRule.Group> = [.compile]
  /// Rules whose findings, including errors, are ignored.
  public var skippedRules: Set<SourceRule> = []
  /// The limits on the size of a document.
  public var limits = SourceLimits.default
  /// Whether a model is created regardless of errors, which are then reported in ``SourceModel/diagnostics``. Intended
  /// for reading models without judging them. Elements without a name, or with the name of another, are dropped, and
  /// unresolved references are nil. A document that isn't XML, or isn't a model, is rejected nevertheless. Default:
  /// false.
  public var isTolerant = false
  /// Whether what models can't contain is dropped, regardless of errors; nil if it depends on them and on
  /// ``isTolerant``.
  var isReducing: Bool?

  /// Creates the options for a plain compilation.
  public init(moduleName: String? = nil) {
    self.moduleName = moduleName
  }
}
