import DataModels
import Foundation
import PropertyLists

/// A listing of the version hashes of models, by which Core Data distinguishes versions of a model.
///
/// ```swift
/// let listing = try ModelHashListing([.init(path: "Shop.mom", model: model)])
/// print(listing.text)
/// ```
///
/// Its JSON form is an object with `schemaVersion` 1 and a list of `models`, each with its `path`, `version`,
/// `checksum`, `digest` and the hashes of its `entities` by name, in hexadecimal.
public struct ModelHashListing: Codable, Hashable, Sendable {
  /// The version of the JSON format written by this code.
  public static let currentSchemaVersion = 1

  /// The version of the JSON format.
  public var schemaVersion: Int

  /// The models, in the given order.
  public var models: [Entry]

  /// Creates a listing.
  public init(_ models: [Entry]) {
    schemaVersion = Self.currentSchemaVersion
    self.models = models
  }

  /// The hashes of one model.
  public struct Entry: Codable, Hashable, Sendable {
    /// The path of the original file, as given by the user.
    public var path: String?
    /// The name of the version, for a model in a bundle.
    public var version: String?
    /// The model's checksum, as recorded in `VersionInfo.plist`.
    public var checksum: String
    /// The digest of all hashes, as recorded in a store's metadata.
    public var digest: String
    /// The hashes by entity name, 64 hexadecimal digits each.
    public var entities: [String: String]

    /// Computes the hashes of a model.
    ///
    /// - Throws: `ModelError` when they can't be computed, for example because an entity inherits from itself.
    public init(path: String? = nil, version: String? = nil, model: NSManagedObjectModel) throws {
      let hashes = try model.versionHashes()
      self.path = path
      self.version = version
      checksum = VersionHashes.checksum(of: hashes)
      digest = VersionHashes.digest(of: hashes)
      entities = hashes.mapValues { DisplayText.hex($0) }
    }
  }

  /// The JSON text, ending with a newline.
  ///
  /// - Throws: `EncodingError`; never for a listing created from models.
  public func json() throws -> String {
    try JSONText.encode(self)
  }

  /// The listing as text: for each model its checksum, its digest, and one line per entity.
  public var text: String { text { _, text in text } }

  /// The listing as text, with each piece formatted according to its role.
  public func text(paint: @escaping ModelTextListing.Paint) -> String {
    var table = TextTable(paint: paint)
    for (position, model) in models.enumerated() {
      if position > 0 { table.endBlock() }
      let name =
        model.path.map { ListingText.title($0) } ?? model.version.map { ListingText.name($0) }
      table.heading([.keyword("model")] + (name.map { [.space, .plain($0)] } ?? []))
      table.row([[.keyword("checksum")]], [.value(model.checksum)])
      table.row([[.keyword("digest")]], [.value(model.digest)])
      for (name, hash) in model.entities.sorted(by: { $0.key < $1.key }) {
        table.row([[.entity(ListingText.name(name))]], [.value(hash)])
      }
    }
    return table.finish()
  }
}
