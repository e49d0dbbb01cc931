/// The Boolean settings of properties.
///
/// This is the only list of them. Each setting's row determines how it is compared, reported as a difference, merged,
/// and read from and written to sources and archives; listings access each setting by name.
package enum PropertySetting: CaseIterable, Sendable {
  case optional, transient, readOnly, indexed, indexedBySpotlight, storedInExternalRecord, ordered
  case allowsExternalBinaryDataStorage, preservesValueInHistoryOnDeletion, allowsCloudEncryption
  case fileBackedFuture

  /// The kind of description that has the setting.
  package enum Holder: Sendable {
    case property, attribute, relationship
  }

  /// The properties of a setting.
  package struct Traits: Sendable {
    /// The setting's bit.
    package let flag: PropertyFlags
    /// The kind of description that has it.
    package let holder: Holder
    /// Core Data's name.
    let name: String
    /// The name in differences and merges; nil if it isn't reported.
    package let factName: String?
    /// The attribute in sources; nil if sources don't have one.
    package let sourceName: String?
    /// The setting's own key in archives; nil for none.
    let archiveKey: ModelKey?
    /// Whether version hashes depend on it.
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
        hash: "transient properties are excluded from the hash")
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

  /// All rows, created once.
  package static let rows = allCases.map(\.traits)

  /// The rows of settings that sources have, by attribute name.
  package static let bySourceName = Dictionary(
    uniqueKeysWithValues: rows.compactMap { row in row.sourceName.map { ($0, row) } })
}

extension NSPropertyDescription {
  /// Sets or clears a setting; used by replays and merges.
  package final func set(_ setting: PropertySetting.Traits, to isOn: Bool) {
    setFlag(setting.flag, to: isOn, for: "setValue:forSetting:")
  }
}

/// The Boolean settings of a property, in one word; see ``PropertySetting`` for their meaning.
///
/// The low twelve bits are in the same positions as in an archive's `_P` word, so that decoding and encoding are a
/// single mask. The bits of an attribute's `NSFlagsKey` follow above them.
package struct PropertyFlags: OptionSet, Sendable, Hashable {
  package var rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static let optional = PropertyFlags(rawValue: 0x2)
  package static let readOnly = PropertyFlags(rawValue: 0x4)
  package static let transient = PropertyFlags(rawValue: 0x8)
  static let indexedBySpotlight = PropertyFlags(rawValue: 0x100)
  static let storedInExternalRecord = PropertyFlags(rawValue: 0x200)
  package static let ordered = PropertyFlags(rawValue: 0x400)
  static let allowsCloudEncryption = PropertyFlags(rawValue: 0x800)

  /// All flags stored in an archive's `_P` word.
  static let archived: PropertyFlags = [
    .optional, .readOnly, .transient, .indexedBySpotlight, .storedInExternalRecord, .ordered,
    .allowsCloudEncryption,
  ]

  /// `NSFlagsKey` 0x04 of an attribute.
  package static let allowsExternalBinaryDataStorage = PropertyFlags(rawValue: 0x1000)
  /// `NSIsIndexed`.
  package static let indexed = PropertyFlags(rawValue: 0x2000)
  /// `NSFlagsKey` 0x10 of an attribute.
  static let preservesValueInHistoryOnDeletion = PropertyFlags(rawValue: 0x4000)
  /// `NSFlagsKey` 0x20 of an attribute: a file-backed future, not seen in any file so far.
  static let fileBackedFuture = PropertyFlags(rawValue: 0x8000)

  /// The offset of the `NSFlagsKey` bits within the word.
  private static let attributeShift: UInt32 = 10
  private static let attributeMask: UInt32 = 0x34 << attributeShift

  /// The settings in an attribute's `NSFlagsKey`.
  init(attributeWord: Int) {
    rawValue =
      (UInt32(truncatingIfNeeded: attributeWord) << Self.attributeShift) & Self.attributeMask
  }

  /// The settings in the form of `NSFlagsKey`.
  var attributeWord: Int { Int((rawValue & Self.attributeMask) >> Self.attributeShift) }

  /// The model is in use, so setters trap.
  static let frozen = PropertyFlags(rawValue: 0x1_0000)
  /// The renaming identifier was set to the name that the property had at the time.
  static let renamedToItself = PropertyFlags(rawValue: 0x2_0000)
  /// The value class is not the default one for the attribute's type.
  static let ownValueClass = PropertyFlags(rawValue: 0x4_0000)
}
