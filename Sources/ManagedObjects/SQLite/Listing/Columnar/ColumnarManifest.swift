import DataModels
import Foundation

/// What a columnar export consists of, for programs that read it.
package struct ColumnarManifest: Codable, Sendable {
  /// A file.
  package struct Entity: Codable, Sendable {
    package let name: String
    package var file: String
    package let rows: Int
    /// The entity's version hash in base64.
    package let versionHash: String?
    package let columns: [Column]
    /// The to-many relationships that the file doesn't have.
    package let leftOut: [String]
  }

  /// A column.
  package struct Column: Codable, Sendable {
    package let name: String
    package let coreDataType: String
    package let parquetType: String
    /// The entities that a relationship leads to.
    package let destinations: [String]?
    /// The type that the values needed instead of the model's, and why; nil where they are as the model says.
    package let widened: String?
    /// The number of dates that the file has with less than all their digits.
    package let roundedDates: Int
  }

  package var schemaVersion = 1
  package let format: String
  package let compression: String
  /// The checksum of the model's version, as in VersionInfo.plist.
  package let modelVersion: String
  package let entities: [Entity]
  /// What couldn't be read of the store.
  package let problems: [String]

  package init(_ entities: [Entity], of export: ColumnarExport) {
    format = "parquet"
    compression = export.options.compression.rawValue
    modelVersion = export.rows.model.versionChecksum
    self.entities = entities
    problems = export.rows.problems
  }

  /// The manifest as JSON.
  package func json() throws -> String { try JSONText.encode(self) }
}
