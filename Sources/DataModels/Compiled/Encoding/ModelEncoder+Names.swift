import Foundation
import PropertyLists

extension ModelEncoder {
  /// The text of an entity's name.
  func nameLeaf(ofEntity position: Int, into assembler: inout Assembler) -> Identity {
    if let known = leaves.ofEntities[position] { return known }
    let leaf = assembler.text(names[position])
    leaves.ofEntities[position] = leaf
    return leaf
  }

  /// The text of a property's name.
  func nameLeaf(ofProperty index: Int, into assembler: inout Assembler) -> Identity {
    if let known = leaves.ofProperties[index] { return known }
    let leaf = assembler.text(properties[index].storedName)
    leaves.ofProperties[index] = leaf
    return leaf
  }

  /// The text of the value class that belongs to a type of attributes; `nil` when it has none.
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

  /// The text of a value class; `nil` of one that is a new text at each occurrence.
  func sharedValueClassLeaf(_ name: String, into assembler: inout Assembler) -> Identity? {
    // The one class name that momc does not take from a table; of 32 bits, it took none.
    form == .compiled && name == "NSDecimalNumber" || vintage.is32Bit
      ? nil : assembler.text(name)
  }

  /// Puts the keys of an entity's dictionary of properties.
  ///
  /// - Throws: ``ArchiveError`` when a property has no name, or two have the same.
  func putNames(
    ofProperties range: Range<Int>, entity: Int, into assembler: inout Assembler
  ) throws(ArchiveError) {
    assembler.put(ModelKey.collectionKeys.id, listOf: range.count)
    // Equal texts are one leaf. The leaves of new texts have numbers in a row, of which 64 are told
    // apart by their last bits; when two names share those, they are looked at.
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

/// The texts of names that a model's objects refer to again and again, once they are in the archive.
struct NameLeaves {
  var ofEntities: [ArchiveIdentity?]
  var ofProperties: [ArchiveIdentity?]
  /// The value classes that belong to the types of attributes, by the hundreds of the types' numbers.
  var ofValueClasses = [ArchiveIdentity?](repeating: nil, count: 32)

  init(entities: Int, properties: Int) {
    ofEntities = Array(repeating: nil, count: entities)
    ofProperties = Array(repeating: nil, count: properties)
  }
}
