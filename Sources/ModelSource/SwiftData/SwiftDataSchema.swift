import DataModels
import Foundation

/// A model as a frozen SwiftData schema: a `VersionedSchema` with a `@Model` class for each entity.
///
/// ```swift
/// let schema = SwiftDataSchema(model, name: "ShopSchemaV2", version: SwiftDataVersion(2), title: "Shop 2")
/// print(schema.file.text)
/// for note in schema.notes { print(note) }
/// ```
///
/// Classes have the names of entities, since SwiftData derives entity names from classes. What SwiftData can't express
/// is omitted and noted, here and in the file. The file begins with a ``SchemaPin``: the version hashes that stores of
/// the model record, and a digest of the code, from which `momtool verify` and `momtool guard` detect changes of
/// either.
public struct SwiftDataSchema: Sendable {
  /// A difference between the model and its SwiftData schema.
  public struct Note: Hashable, Sendable, CustomStringConvertible {
    /// The entity or property, as `Order` or `Order.total`; nil for the model as a whole.
    public let subject: String?
    /// The difference.
    public let message: String
    /// Whether it makes the schema's version hashes differ from the model's.
    public let changesHashes: Bool

    /// One line: `Order.total: …`.
    public var description: String { (subject.map { "\($0): " } ?? "") + message }
  }

  /// The name of the schema's type.
  public let name: String
  /// The version.
  public let version: SwiftDataVersion
  /// The name of the original model.
  public let title: String
  /// The file: `ShopSchemaV2.swift`.
  public let file: GeneratedFile
  /// The differences between the model and the schema.
  public let notes: [Note]
  /// The model's checksum. Two versions with the same checksum can't be in one migration plan.
  public let checksum: String
  let release: SwiftDataRelease

  /// Writes a model as a schema.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - name: The name of the schema's type, an identifier.
  ///   - version: The schema's version.
  ///   - title: The name of the original model, for people.
  public init(
    _ model: NSManagedObjectModel, name: String, version: SwiftDataVersion, title: String
  ) {
    var writer = SwiftDataSchemaWriter(model)
    let classes = writer.classes()
    self.name = name
    self.version = version
    self.title = title
    notes = writer.notes
    checksum = model.versionChecksum
    let hashes = model.entityVersionHashesByName
    release = writer.release
    let types = classes.map { "\(CodeNames.swift($0.name)).self" }
    var code = "\nimport Foundation\nimport SwiftData\n\n"
    code += "\(release.attribute)enum \(name): VersionedSchema {\n"
    // A class of the schema may have the name of a SwiftData type.
    let schema = writer.type("Schema", of: "SwiftData")
    code += "  static var versionIdentifier: \(schema).Version {\n"
    code += "    \(schema).Version(\(version.major), \(version.minor), \(version.patch))\n  }\n\n"
    let model = writer.type("PersistentModel", of: "SwiftData")
    code += "  static var models: [any \(model).Type] {\n"
    code += "    [\n\(types.map { "      \($0),\n" }.joined())    ]\n  }\n}\n"
    for type in classes {
      code += "\n\(release.attribute)extension \(name) {\n"
      code += Self.indented(type.text) + "}\n"
    }
    for note in notes where note.subject == nil { code += "\n// \(Self.line(note.message))\n" }
    let pin = SchemaPin(
      name: name, title: title, checksum: checksum, entityHashes: hashes,
      code: code)
    file = GeneratedFile(name: "\(name).swift", text: pin.header + code)
  }

  /// Whether a text is valid as the name of a type, or as its beginning.
  public static func isTypeName(_ text: String) -> Bool { CodeNames.isIdentifier(text) }

  /// A text on one line, for comments.
  static func line(_ text: String) -> String {
    String(text.map { $0.isNewline || $0.unicodeScalars.contains { $0.value < 0x20 } ? " " : $0 })
  }

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map {
      $0.isEmpty ? "" : "  \($0)"
    }.joined(separator: "\n")
  }
}
