import Foundation
import PropertyLists

extension ModelEncoder {
  /// The leaf of an entity's name.
  func nameLeaf(ofEntity position: Int, into assembler: inout Assembler) -> Identity {
    if let known = leaves.ofEntities[position] { return known }
    let leaf = assembler.text(names[position])
    leaves.ofEntities[position] = leaf
    return leaf
  }

  /// The leaf of a property's name.
  func nameLeaf(ofProperty index: Int, into assembler: inout Assembler) -> Identity {
    if let known = leaves.ofProperties[index] { return known }
    let leaf = assembler.text(properties[index].storedName)
    leaves.ofProperties[index] = leaf
    return leaf
  }

  /// The leaf of the value class of an attribute type; `nil` when it has none.
  func valueClassLeaf(
    of type: NSAttributeType, into assembler: inout Assembler
  ) -> Identity? {
    let index = Int(type.rawValue / 100)
    if index < leaves.ofValueClasses.count, let known = leaves.ofValueClasses[index] {
      return known
    }
    guard let name = type.standardValueClassName else { return nil }
    guard let leaf = sharedValueClassLeaf(name, into: &assembler) else {
      return assembler.distinctText(name)
    }
    if index < leaves.ofValueClasses.count { leaves.ofValueClasses[index] = leaf }
    return leaf
  }

  /// The leaf of a value class; `nil` for one that is a new string at each occurrence.
  func sharedValueClassLeaf(_ name: String, into assembler: inout Assembler) -> Identity? {
    // The only class name that momc does not take from a table; 32-bit versions took none from it.
    form == .compiled && name == "NSDecimalNumber" || vintage.is32Bit
      ? nil : assembler.text(name)
  }

  /// Encodes the keys of an entity's dictionary of properties.
  ///
  /// - Throws: ``ArchiveError`` when a property has no name, or two have the same.
  func putNames(
    ofProperties range: Range<Int>, entity: Int, into assembler: inout Assembler
  ) throws(ArchiveError) {
    assembler.put(ModelKey.collectionKeys.id, listOf: range.count)
    // Equal strings share one leaf. The leaves of new strings have consecutive numbers, so 64 of them are distinguished
    // by their low bits; only if two names have the same low bits is a full check needed.
    var lastBits: UInt64 = 0
    var mayRepeat = false
    for index in range {
      let name = properties[index].storedName
      guard !name.isEmpty else {
        throw ArchiveError(
          .invalidContent, "a property of '\(names[entity])' has no name; give it one")
      }
      let leaf = assembler.text(name)
      leaves.ofProperties[index] = leaf
      let bit: UInt64 = 1 << UInt64(leaf.number & 63)
      mayRepeat = mayRepeat || lastBits & bit != 0
      lastBits |= bit
      assembler.put(ModelKey.collectionKeys.id, leaf: leaf)
    }
    guard mayRepeat else { return }
    var seen: Set<Identity> = []
    for index in range {
      guard let leaf = leaves.ofProperties[index], !seen.insert(leaf).inserted else { continue }
      throw ArchiveError(
        .invalidContent,
        "'\(names[entity])' has two properties called '\(properties[index].storedName)'")
    }
  }
}

/// The leaves of names that a model's objects refer to repeatedly, once they have been created.
struct NameLeaves {
  var ofEntities: [ArchiveIdentity?]
  var ofProperties: [ArchiveIdentity?]
  /// The value classes of attribute types, indexed by the hundreds digit of the type's number.
  var ofValueClasses = [ArchiveIdentity?](repeating: nil, count: 32)

  init(entities: Int, properties: Int) {
    ofEntities = Array(repeating: nil, count: entities)
    ofProperties = Array(repeating: nil, count: properties)
  }
}
