import DataModels
import Foundation

/// The JSON form of models, for scripts and other tools.
///
/// One document holds any number of models:
///
/// ```json
/// {
///   "schemaVersion": 1,
///   "models": [ { "path": "Shop.momd/Shop 2.mom", "version": "Shop 2", "model": { "entities": [] } } ]
/// }
/// ```
///
/// The same models always give the same text: keys are sorted, entities and properties are in
/// name order, and numbers keep every digit. The article <doc:ModelSchemaReference> lists the keys.
/// Fields may be added under one `schemaVersion`; it changes when one goes or changes its meaning.
///
/// A listing can be read back:
///
/// ```swift
/// let listing = try JSONDecoder().decode(ModelJSONListing.self, from: data)
/// print(listing.models[0].model.entities.map(\.name))
/// ```
public struct ModelJSONListing: Codable, Hashable, Sendable {
  /// The version of the schema that this code writes.
  public static let currentSchemaVersion = 1

  /// The version of the schema the listing is in.
  public var schemaVersion: Int

  /// The models, in the order they were given.
  public var models: [Entry]

  /// Creates a listing.
  public init(_ models: [Entry]) {
    schemaVersion = Self.currentSchemaVersion
    self.models = models
  }

  /// One model and where it came from.
  public struct Entry: Codable, Hashable, Sendable {
    /// The path of the file it came from, as the user gave it; `nil` for a model of a program.
    public var path: String?

    /// The name of the version, for a model of a bundle.
    public var version: String?

    /// The model.
    public var model: ModelSchema

    /// Creates an entry.
    public init(path: String? = nil, version: String? = nil, model: ModelSchema) {
      self.path = path
      self.version = version
      self.model = model
    }
  }

  /// The JSON text, indented by two spaces, with a newline at its end.
  ///
  /// - Throws: `EncodingError`, which no listing made from a model causes.
  public func text() throws -> String {
    try JSONText.encode(self)
  }
}
