import DataModels
import Foundation

/// Generates the classes of a model's entities: what Xcode's "Class Definition" and
/// "Category/Extension" make.
///
/// ```swift
/// let source = try SourceModel(contentsOf: url)
/// for file in ClassGenerator(source).files {
///   try Data(file.text.utf8).write(to: folder.appendingPathComponent(file.name))
/// }
/// ```
///
/// Swift classes compile on Apple's systems with Core Data, and elsewhere with MomKit, where
/// properties are accessors over key-value coding since there is no Objective-C runtime for
/// `@NSManaged`.
public struct ClassGenerator: Sendable {
  /// The generated files, in the order of the entities' names.
  public let files: [GeneratedFile]
  /// Why some entities or properties got no code.
  public let diagnostics: [SourceDiagnostic]

  /// Generates the classes of a model that was read from its source.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - modelName: The model's name, for the file that stands for the model as a whole; nil for no
  ///     such file.
  ///   - options: How classes are generated.
  public init(
    _ source: SourceModel, modelName: String? = nil,
    options: ClassGenerationOptions = ClassGenerationOptions()
  ) {
    var plan = ClassPlanner(
      source.declaration, document: source.document, selection: options.selection)
    let classes = plan.classes()
    var files: [GeneratedFile] = []
    switch options.language {
    case .swift: files = classes.flatMap { SwiftClassWriter.files(for: $0) }
    case .objectiveC:
      files = classes.flatMap { ObjectiveCClassWriter.files(for: $0) }
      if let modelName {
        files += ObjectiveCClassWriter.files(forModel: modelName, classes: classes)
      }
    }
    self.files = files
    diagnostics = plan.log.sorted
  }

  /// Generates the classes of any model, with Xcode's defaults for what only a source says.
  ///
  /// - Throws: ``ModelSourceError`` when the model can't be written as a source.
  public init(
    model: NSManagedObjectModel, modelName: String? = nil,
    options: ClassGenerationOptions = ClassGenerationOptions(selection: .all)
  ) throws {
    let document = SourceDocument(root: SourceWriter(model).root, path: modelName ?? "model")
    try self.init(SourceModel(document: document), modelName: modelName, options: options)
  }
}

/// A file of generated code.
public struct GeneratedFile: Sendable, Hashable {
  /// The file's name.
  public var name: String
  /// The file's text.
  public var text: String

  /// Makes a file.
  public init(name: String, text: String) {
    self.name = name
    self.text = text
  }
}
