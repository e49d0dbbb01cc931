/// The yes-or-no settings of a property, in one word: what each is, ``PropertySetting`` says.
///
/// The low twelve bits lie where the archive's `_P` word has them, so that a decoder masks and
/// stores, and an encoder does the reverse; those of an attribute's `NSFlagsKey` lie above them.
package struct PropertyFlags: OptionSet, Sendable, Hashable {
  package var rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static let optional = PropertyFlags(rawValue: 0x2)
  package static let readOnly = PropertyFlags(rawValue: 0x4)
  package static let transient = PropertyFlags(rawValue: 0x8)
  package static let indexedBySpotlight = PropertyFlags(rawValue: 0x100)
  package static let storedInExternalRecord = PropertyFlags(rawValue: 0x200)
  package static let ordered = PropertyFlags(rawValue: 0x400)
  package static let allowsCloudEncryption = PropertyFlags(rawValue: 0x800)

  /// Every flag that the archive's `_P` word carries.
  package static let archived: PropertyFlags = [
    .optional, .readOnly, .transient, .indexedBySpotlight, .storedInExternalRecord, .ordered,
    .allowsCloudEncryption,
  ]

  /// `NSFlagsKey` 0x04 of an attribute.
  package static let allowsExternalBinaryDataStorage = PropertyFlags(rawValue: 0x1000)
  /// `NSIsIndexed`.
  package static let indexed = PropertyFlags(rawValue: 0x2000)
  /// `NSFlagsKey` 0x10 of an attribute.
  package static let preservesValueInHistoryOnDeletion = PropertyFlags(rawValue: 0x4000)
  /// `NSFlagsKey` 0x20 of an attribute: a file-backed future, seen in no file so far.
  static let fileBackedFuture = PropertyFlags(rawValue: 0x8000)

  /// How far above their places in `NSFlagsKey` its settings lie.
  private static let attributeShift: UInt32 = 10
  private static let attributeMask: UInt32 = 0x34 << attributeShift

  /// The settings in an attribute's `NSFlagsKey`.
  init(attributeWord: Int) {
    rawValue =
      (UInt32(truncatingIfNeeded: attributeWord) << Self.attributeShift) & Self.attributeMask
  }

  /// The settings as `NSFlagsKey` has them.
  var attributeWord: Int { Int((rawValue & Self.attributeMask) >> Self.attributeShift) }

  /// The model is in use; setters trap.
  static let frozen = PropertyFlags(rawValue: 0x1_0000)
  /// The renaming identifier was set, to the very name the property had then.
  static let renamedToItself = PropertyFlags(rawValue: 0x2_0000)
  /// The value class isn't the one that belongs to the attribute's type.
  static let ownValueClass = PropertyFlags(rawValue: 0x4_0000)
}
