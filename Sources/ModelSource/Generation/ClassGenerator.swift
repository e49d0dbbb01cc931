import DataModels
import Foundation

/// Generates the classes of a model's entities, as Xcode does for "Class Definition" and "Category/Extension".
///
/// ```swift
/// let source = try SourceModel(contentsOf: url)
/// for file in ClassGenerator(source).files {
///   try Data(file.text.utf8).write(to: folder.appendingPathComponent(file.name))
/// }
/// ```
///
/// Swift classes compile on Apple's systems with Core Data, and elsewhere with MomKit, where properties are accessors
/// based on key-value coding, since `@NSManaged` requires the Objective-C runtime.
public struct ClassGenerator: Sendable {
  /// The generated files, sorted by entity name.
  public let files: [GeneratedFile]
  /// Why no code was generated for some entities or properties.
  public let diagnostics: [SourceDiagnostic]

  /// Generates the classes of a model that was read from its source.
  ///
  /// - Parameters:
  ///   - source: The source.
  ///   - modelName: The model's name, for the file that represents the model as a whole; nil to omit the file.
  ///   - options: The generation options.
  public init(
    _ source: SourceModel, modelName: String? = nil,
    options: ClassGenerationOptions = ClassGenerationOptions()
  ) {
    var plan = ClassPlanner(
      source.declaration, document: source.document, options: options)
    let classes = plan.classes()
    var files: [GeneratedFile] = []
    switch options.language {
    case .swift:
      let names = SwiftNames(source.declaration)
      files = classes.flatMap { SwiftClassWriter.files(for: $0, names) }
    case .objectiveC:
      files = classes.flatMap { ObjectiveCClassWriter.files(for: $0) }
      if let modelName {
        files += ObjectiveCClassWriter.files(forModel: modelName, classes: classes)
      }
    }
    self.files = files
    diagnostics = plan.log.sorted
  }

  /// Generates the classes of any model, using Xcode's defaults for settings that only sources have.
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
  /// What a generated class's file says of itself: a file without it was written by hand.
  public static let mark = "This file was automatically generated and should not be edited."

  /// The file's name.
  public var name: String
  /// The file's text.
  public var text: String

  /// Creates a file.
  public init(name: String, text: String) {
    self.name = name
    self.text = text
  }
}
