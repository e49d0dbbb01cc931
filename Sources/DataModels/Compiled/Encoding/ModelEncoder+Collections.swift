import Foundation
import OrderedCollections
import PropertyLists

extension ModelEncoder {
  /// Encodes the keys and values of a dictionary.
  func putEntries(_ entries: [(name: String, value: Element)], into assembler: inout Assembler) {
    assembler.put(ModelKey.collectionKeys.id, listOf: entries.count)
    for entry in entries {
      assembler.put(ModelKey.collectionKeys.id, leaf: assembler.text(entry.name))
    }
    putList(.collectionObjects, entries.map(\.value), into: &assembler)
  }

  /// Encodes the members of a collection.
  func putList(_ key: ModelKey, _ elements: [Element], into assembler: inout Assembler) {
    assembler.put(key.id, listOf: elements.count)
    for element in elements { put(key, element, into: &assembler) }
  }

  /// Encodes an object that only this field refers to.
  func putObject(_ key: Int, _ item: Item, into assembler: inout Assembler) {
    if let property = sharingProperty {
      putObject(
        key, item: item, identity: sharedIdentity(of: property, key, into: &assembler),
        into: &assembler)
    } else {
      assembler.put(key, object: register(item))
    }
  }

  /// Encodes an object that other fields refer to as well.
  func putObject(
    _ key: Int, item: Item, identity: Identity, into assembler: inout Assembler
  ) {
    assembler.put(key, object: register(item), identity)
  }

  /// Encodes an element of a collection.
  func put(_ key: ModelKey, _ element: Element, into assembler: inout Assembler) {
    switch element {
    case .leaf(let identity): assembler.put(key.id, leaf: identity)
    case .item(let item, let identity?):
      putObject(key.id, item: item, identity: identity, into: &assembler)
    case .item(let item, nil): putObject(key.id, item, into: &assembler)
    }
  }

  /// A value as an element of a collection.
  func element(_ value: ArchiveFoundationValue, into assembler: inout Assembler) -> Element {
    switch value {
    case .string(let text): .leaf(assembler.text(text))
    case .boolean(let value): .leaf(assembler.boxed(boolean: value))
    case .integer(let value): .leaf(assembler.boxed(integer: value))
    case .unsigned(let value): .leaf(assembler.boxed(unsigned: value))
    case .double(let value): .leaf(assembler.boxed(double: value))
    case .data(let bytes): .leaf(assembler.boxed(data: bytes))
    default: .item(.foundation(value), nil)
    }
  }

  /// A user info dictionary.
  ///
  /// - Throws: ``ArchiveError`` when a key is not a string or a value is not a property list value.
  func userInfo(
    _ info: OrderedDictionary<AnyHashable, Any>, of owner: String, into assembler: inout Assembler
  ) throws(ArchiveError) -> Item {
    var entries: [(name: String, value: Element)] = []
    for (key, value) in info {
      guard let name = key.base as? String, let archived = ArchiveFoundationValue(value) else {
        throw ArchiveError(
          .invalidContent,
          "the user info of \(owner) contains something under '\(key)' that cannot be archived; use"
            + " text as keys and property list values")
      }
      entries.append((name, element(archived, into: &assembler)))
    }
    let positions = order.userInfo(entries.map(\.name))
    return .dictionary(positions.map { entries[$0] }, isMutable: false)
  }

  /// Lists of names: uniqueness constraints and compound indexes.
  func tuples(
    _ tuples: [[String]], isMutable: Bool = true, into assembler: inout Assembler
  ) -> Item {
    .array(
      tuples.map { names in
        .item(.array(names.map { .leaf(assembler.text($0)) }, isMutable: true), nil)
      }, isMutable: isMutable)
  }
}
