import DataModels
import Foundation

/// The JSON format of models, for scripts and other tools.
///
/// A document contains any number of models:
///
/// ```json
/// {
///   "schemaVersion": 1,
///   "models": [ { "path": "Shop.momd/Shop 2.mom", "version": "Shop 2", "model": { "entities": [] } } ]
/// }
/// ```
///
/// The output is deterministic: keys are sorted, entities and properties are sorted by name, and numbers keep all
/// digits. The article <doc:ModelSchemaReference> lists the keys. Fields may be added within a `schemaVersion`; it
/// increases when a field is removed or changes its meaning.
///
/// A listing can be decoded:
///
/// ```swift
/// let listing = try JSONDecoder().decode(ModelJSONListing.self, from: data)
/// print(listing.models[0].model.entities.map(\.name))
/// ```
public struct ModelJSONListing: Codable, Hashable, Sendable {
  /// The version of the schema written by this code.
  public static let currentSchemaVersion = 1

  /// The version of the listing's schema.
  public var schemaVersion: Int

  /// The models, in the given order.
  public var models: [Entry]

  /// Creates a listing.
  public init(_ models: [Entry]) {
    schemaVersion = Self.currentSchemaVersion
    self.models = models
  }

  /// A model and its origin.
  public struct Entry: Codable, Hashable, Sendable {
    /// The path of the original file, as given by the user; `nil` for a model created in code.
    public var path: String?

    /// The name of the version, for a model in a bundle.
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

  /// The JSON text, indented by two spaces, ending with a newline.
  ///
  /// - Throws: `EncodingError`; never for a listing created from models.
  public func text() throws -> String {
    try JSONText.encode(self)
  }
}
