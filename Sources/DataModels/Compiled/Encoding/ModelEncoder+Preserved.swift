import Foundation
import PropertyLists

extension ModelEncoder {
  /// Puts the fields that a decoder kept, and answers the object's class.
  func putPreserved(
    _ preserved: (any Sendable)?, class index: Int, into assembler: inout Assembler
  ) -> Int {
    guard let preserved = preserved as? PreservedContent else { return index }
    // By name, so that the archive comes out the same when it is read and written again: the order
    // in which fields were read is that of a hash table, not of encoding.
    for field in preserved.fields.sorted(by: { $0.key < $1.key }) {
      putForeign(
        assembler.key(field.key), preserved.source.archive.value(at: field.value),
        preserved.source, into: &assembler)
    }
    return preserved.archivedClass.map { assembler.classIndex($0) } ?? index
  }

  /// Copies an object of a class that is not known, and what it refers to.
  func encodeForeign(
    _ source: PreservedArchive, _ number: Int, into assembler: inout Assembler
  ) -> Int {
    guard case .instance(let type, let fields) = source.archive.object(at: number) else {
      // Values are leaves and never come here.
      return assembler.classIndex(ArchiveClass("NSNull", "NSObject"))
    }
    for field in fields.sorted(by: { $0.key < $1.key }) {
      putForeign(assembler.key(field.key), field.value, source, into: &assembler)
    }
    return assembler.classIndex(type)
  }

  private func putForeign(
    _ key: Int, _ value: ArchiveValue, _ source: PreservedArchive, into assembler: inout Assembler
  ) {
    switch value {
    case .reference(let number): putForeign(key, number, source, into: &assembler)
    case .array(let members) where members.allSatisfy({ $0.isReference || !$0.holdsReferences }):
      assembler.put(key, listOf: members.count)
      for member in members { putForeign(key, member, source, into: &assembler) }
    default: assembler.put(key, node: assembler.addNode(value.withoutReferences))
    }
  }

  private func putForeign(
    _ key: Int, _ number: Int, _ source: PreservedArchive, into assembler: inout Assembler
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

  /// The value with nil for each reference.
  ///
  /// Archivers put references into an object and into an array of one, never deeper. Where they are
  /// deeper they cannot be translated, and the numbers of another archive would lead astray.
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
