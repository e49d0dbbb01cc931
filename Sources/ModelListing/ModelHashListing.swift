import DataModels
import Foundation
import PropertyLists

/// The version hashes of models: what Core Data tells the versions of a model apart by.
///
/// ```swift
/// let listing = ModelHashListing([.init(path: "Shop.mom", model: model)])
/// print(listing.text)
/// ```
///
/// As JSON it is an object with `schemaVersion` 1 and a list of `models`, each with its `path`,
/// `version`, `checksum`, `digest` and the hashes of its `entities` by name, in hexadecimal.
public struct ModelHashListing: Codable, Hashable, Sendable {
  /// The version of the JSON form that this code writes.
  public static let currentSchemaVersion = 1

  /// The version of the JSON form.
  public var schemaVersion: Int

  /// The models, in the order they were given.
  public var models: [Entry]

  /// Creates a listing.
  public init(_ models: [Entry]) {
    schemaVersion = Self.currentSchemaVersion
    self.models = models
  }

  /// The hashes of one model.
  public struct Entry: Codable, Hashable, Sendable {
    /// The path of the file it came from, as the user gave it.
    public var path: String?
    /// The name of the version, for a model of a bundle.
    public var version: String?
    /// The model's checksum, as `VersionInfo.plist` records it.
    public var checksum: String
    /// The digest of all hashes, as the metadata of a store records it.
    public var digest: String
    /// The hashes by the entities' names, 64 hexadecimal digits each.
    public var entities: [String: String]

    /// Computes the hashes of a model.
    ///
    /// - Throws: `ModelError` when they can't be computed, as when an entity inherits from itself.
    public init(path: String? = nil, version: String? = nil, model: NSManagedObjectModel) throws {
      let hashes = try model.versionHashes()
      self.path = path
      self.version = version
      checksum = VersionHashes.checksum(of: hashes)
      digest = VersionHashes.digest(of: hashes)
      entities = hashes.mapValues { DisplayText.hex($0) }
    }
  }

  /// The JSON text, with a newline at its end.
  ///
  /// - Throws: `EncodingError`, which no listing made from a model causes.
  public func json() throws -> String {
    try JSONText.encode(self)
  }

  /// The listing for people: for each model its checksum, its digest, and a line for each entity.
  public var text: String { text { _, text in text } }

  /// The listing for people, its pieces dressed by what they are.
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
