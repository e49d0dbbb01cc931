import Foundation
import PropertyLists

extension ModelEncoder {
  /// Encodes the fields that a decoder preserved, and returns the object's class.
  func putPreserved(
    _ preserved: (any Sendable)?, class index: Int, into assembler: inout Assembler
  ) -> Int {
    guard let preserved = preserved as? PreservedContent else { return index }
    // Sorted by name, so that the archive is the same after reading and writing it again: fields are read in hash table
    // order, not in encoding order.
    for field in preserved.fields.sorted(by: { $0.key < $1.key }) {
      putForeign(
        assembler.key(field.key), preserved.source.archive.value(at: field.value),
        from: preserved.source, into: &assembler)
    }
    return preserved.archivedClass.map { assembler.classIndex($0) } ?? index
  }

  /// Copies an object of an unknown class, and the objects it refers to.
  func encodeForeign(
    _ source: PreservedArchive, _ number: Int, into assembler: inout Assembler
  ) -> Int {
    guard case .instance(let type, let fields) = source.archive.object(at: number) else {
      // Values are leaves and are never passed to this method.
      return assembler.classIndex(ArchiveClass("NSNull", "NSObject"))
    }
    for field in fields.sorted(by: { $0.key < $1.key }) {
      putForeign(assembler.key(field.key), field.value, from: source, into: &assembler)
    }
    return assembler.classIndex(type)
  }

  private func putForeign(
    _ key: Int, _ value: ArchiveValue, from source: PreservedArchive,
    into assembler: inout Assembler
  ) {
    switch value {
    case .reference(let number): putForeign(key, number, from: source, into: &assembler)
    case .array(let members) where members.allSatisfy({ $0.isReference || !$0.holdsReferences }):
      assembler.put(key, listOf: members.count)
      for member in members { putForeign(key, member, from: source, into: &assembler) }
    default: assembler.put(key, node: assembler.addNode(value.withoutReferences))
    }
  }

  private func putForeign(
    _ key: Int, _ number: Int, from source: PreservedArchive, into assembler: inout Assembler
  ) {
    switch source.known[number] {
    case .model: return assembler.put(key, conditional: modelIdentity)
    case .entity(let name):
      return assembler.put(key, conditional: identity(of: model.entity(named: name)))
    case .property(let name, let entity):
      let property = model.entity(named: entity)?.property(named: name)
      return assembler.put(key, conditional: property.map { identity(of: $0, into: &assembler) })
    case nil: break
    }
    switch source.archive.object(at: number) {
    case .null, .classDescription: assembler.putNil(key)
    case .value(.string(let text)): assembler.put(key, leaf: assembler.text(text))
    case .value(let value):
      assembler.put(key, leaf: assembler.boxed(node: assembler.addNode(value)))
    case .instance:
      putObject(
        key, item: .foreign(source, number),
        identity: foreignIdentity(source, number, into: &assembler),
        into: &assembler)
    }
  }
}

extension ArchiveValue {
  fileprivate var isReference: Bool {
    if case .reference = self { true } else { false }
  }

  fileprivate var holdsReferences: Bool {
    switch self {
    case .reference: true
    case .array(let members), .set(let members): members.contains(where: \.holdsReferences)
    case .dictionary(let fields): fields.contains(where: \.value.holdsReferences)
    default: false
    }
  }

  /// The value with every reference replaced by nil.
  ///
  /// Archivers write references only directly in an object or in an array within it. References that are nested more
  /// deeply cannot be translated, and keeping the numbers of another archive would be wrong.
  fileprivate var withoutReferences: ArchiveValue {
    switch self {
    case .reference: .reference(0)
    case .array(let members): .array(members.map(\.withoutReferences))
    case .set(let members): .set(members.map(\.withoutReferences))
    case .dictionary(let fields):
      .dictionary(fields.map { ArchiveField($0.key, $0.value.withoutReferences) })
    default: self
    }
  }
}
