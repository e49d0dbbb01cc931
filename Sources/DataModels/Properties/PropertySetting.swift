/// The yes-or-no settings of properties.
///
/// This is the one list of them. How a setting is compared, told as a difference, merged, and read from and
/// written to sources and archives follows from its row; listings ask for each by name.
package enum PropertySetting: CaseIterable, Sendable {
  case optional, transient, readOnly, indexed, indexedBySpotlight, storedInExternalRecord, ordered
  case allowsExternalBinaryDataStorage, preservesValueInHistoryOnDeletion, allowsCloudEncryption
  case fileBackedFuture

  /// What has the setting.
  package enum Holder: Sendable {
    case property, attribute, relationship
  }

  /// What there is to know of a setting.
  package struct Traits: Sendable {
    /// The setting's bit.
    package let flag: PropertyFlags
    /// What has it.
    package let holder: Holder
    /// Core Data's name.
    package let name: String
    /// The name in differences and merges; nil for what is said by nobody.
    package let factName: String?
    /// The attribute in sources; nil for what sources don't say.
    package let sourceName: String?
    /// The key of its own that archives have; nil for none.
    let archiveKey: ModelKey?
    /// Whether version hashes cover it.
    package let isHashed: Bool
    /// Why they do or don't.
    package let reason: String
  }

  /// The setting's row in the table.
  package var traits: Traits {
    switch self {
    case .optional:
      row(
        .optional, "isOptional", fact: "optional", source: "optional", key: .isOptional,
        hash: "the optional flag is part of the hash")
    case .transient:
      row(
        .transient, "isTransient", fact: "transient", source: "transient", key: .isTransient,
        hash: "transient properties are left out of the hash")
    case .readOnly: row(.readOnly, "isReadOnly", key: .isReadOnly)
    case .indexed:
      row(
        .indexed, "isIndexed", fact: "indexed", source: "indexed", key: .isIndexed,
        noHash: "indexes are not hashed")
    case .indexedBySpotlight:
      row(
        .indexedBySpotlight, "isIndexedBySpotlight", fact: "indexedBySpotlight",
        source: "spotlightIndexingEnabled", key: .isIndexedBySpotlight,
        noHash: "search settings are not hashed")
    case .storedInExternalRecord:
      row(
        .storedInExternalRecord, "isStoredInExternalRecord", fact: "storedInExternalRecord",
        source: "storedInTruthFile", key: .isStoredInTruth,
        noHash: "external records are not hashed")
    case .ordered:
      row(
        .ordered, of: .relationship, "isOrdered", fact: "ordered", source: "ordered",
        key: .isOrdered, hash: "order is part of the hash")
    case .allowsExternalBinaryDataStorage:
      row(
        .allowsExternalBinaryDataStorage, of: .attribute, "allowsExternalBinaryDataStorage",
        fact: "externalStorage", source: "allowsExternalBinaryDataStorage",
        hash: "external storage is part of the hash")
    case .preservesValueInHistoryOnDeletion:
      row(
        .preservesValueInHistoryOnDeletion, of: .attribute, "preservesValueInHistoryOnDeletion",
        fact: "preservedOnDeletion", source: "preserveAfterDeletion",
        hash: "preservation after deletion is part of the hash")
    case .allowsCloudEncryption:
      row(
        .allowsCloudEncryption, of: .attribute, "allowsCloudEncryption", fact: "cloudEncryption",
        source: "allowsCloudEncryption", key: .allowsCloudEncryption,
        noHash: "cloud encryption is not hashed")
    case .fileBackedFuture: row(.fileBackedFuture, of: .attribute, "fileBackedFuture")
    }
  }

  private func row(
    _ flag: PropertyFlags, of holder: Holder = .property, _ name: String, fact: String? = nil,
    source: String? = nil, key: ModelKey? = nil, hash: String? = nil, noHash: String? = nil
  ) -> Traits {
    Traits(
      flag: flag, holder: holder, name: name, factName: fact, sourceName: source, archiveKey: key,
      isHashed: hash != nil, reason: hash ?? noHash ?? "")
  }

  /// The rows, made once.
  package static let rows = allCases.map(\.traits)

  /// The rows of what sources say, by the names of their attributes.
  package static let bySourceName = Dictionary(
    uniqueKeysWithValues: rows.compactMap { row in row.sourceName.map { ($0, row) } })
}

extension NSPropertyDescription {
  /// Sets or clears a setting, for what replays and merges.
  package final func set(_ setting: PropertySetting.Traits, to isOn: Bool) {
    setFlag(setting.flag, isOn, "setValue:forSetting:")
  }
}
