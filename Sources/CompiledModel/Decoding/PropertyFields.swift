import Foundation
import KeyedArchive
import ManagedModel
import OrderedCollections
import PredicateFormat

/// The fields of any property's archive, gathered before the description is made.
struct PropertyFields {
  /// The object that describes the property's class.
  var classReference: Int?
  var name: String?
  var flagWord = 0
  var flags = PropertyFlags(rawValue: 0)
  /// The object of the name, and that of the renaming identifier: mostly one and the same.
  var nameObject: Int?
  var renamingObject: Int?
  var versionHashModifier: String?
  var userInfo: Int?
  var validationPredicates: Int?
  var validationWarnings: Int?
  var unknown: [PreservedContent.Field] = []
  var decimal: ArchiveDecimal?

  // Attributes.
  var attributeType = 0
  var valueClassName: String?
  var defaultValue = AttributeValue.none
  var valueTransformerName: String?
  var attributeFlags = 0
  var minValue: (any Sendable)?
  var maxValue: (any Sendable)?
  var derivation: Int?
  var filter: Int?
  var elements: Int?

  // Relationships.
  var maxCount = 0
  var minCount = 0
  var deleteRule = 1
  var destination: Int?
  var destinationName: Int?
  var inverse: Int?
  var inverseName: Int?

  // Fetched properties and expressions.
  var fetchRequest: Int?
  var fetchEntityName: String?
  var expression: Int?
  var resultType = 0

  /// The flags that count: those of the flag word, unless there is none.
  var effectiveFlags: PropertyFlags {
    // On raw words: this is done for every property of a model.
    var effective = flags.rawValue
    if flagWord != 0 {
      let archived = PropertyFlags.archived.rawValue
      effective &= ~archived
      effective |= UInt32(truncatingIfNeeded: flagWord) & archived
    }
    if attributeFlags & 0x04 != 0 {
      effective |= PropertyFlags.allowsExternalBinaryDataStorage.rawValue
    }
    if attributeFlags & 0x10 != 0 {
      effective |= PropertyFlags.preservesValueInHistoryOnDeletion.rawValue
    }
    if attributeFlags & 0x20 != 0 { effective |= PropertyFlags.fileBackedFuture.rawValue }
    return PropertyFlags(rawValue: effective)
  }
}
