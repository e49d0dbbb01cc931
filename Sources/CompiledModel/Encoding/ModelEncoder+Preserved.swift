import BinaryPlist
import Foundation
import KeyedArchive
import ManagedModel

extension ModelEncoder {
  /// Puts the fields that a decoder kept, and answers the object's class.
  func putPreserved(
    _ preserved: (any Sendable)?, class index: Int, _ assembler: inout Assembler
  ) -> Int {
    guard let preserved = preserved as? PreservedContent else { return index }
    for field in preserved.fields {
      putForeign(
        assembler.key(field.key), preserved.source.archive.value(at: field.value),
        preserved.source, &assembler)
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
    for field in fields {
      putForeign(assembler.key(field.key), field.value, source, &assembler)
    }
    return assembler.classIndex(type)
  }

  private func putForeign(
    _ key: Int, _ value: ArchiveValue, _ source: PreservedArchive, _ assembler: inout Assembler
  ) {
    switch value {
    case .reference(let number): putForeign(key, number, source, &assembler)
    case .array(let members) where members.allSatisfy(\.isReference):
      assembler.put(key, listOf: members.count)
      for member in members { putForeign(key, member, source, &assembler) }
    default: assembler.put(key, node: assembler.addNode(value))
    }
  }

  private func putForeign(
    _ key: Int, _ number: Int, _ source: PreservedArchive, _ assembler: inout Assembler
  ) {
    switch source.known[number] {
    case .model: return assembler.put(key, conditional: modelIdentity)
    case .entity(let name):
      return assembler.put(key, conditional: identity(of: model.entity(named: name)))
    case .property(let name, let entity):
      let property = model.entity(named: entity)?.property(named: name)
      return assembler.put(key, conditional: property.map { identity(of: $0, &assembler) })
    case nil: break
    }
    switch source.archive.object(at: number) {
    case .null, .classDescription: assembler.putNil(key)
    case .value(.string(let text)): assembler.put(key, leaf: assembler.text(text))
    case .value(let value):
      assembler.put(key, leaf: assembler.boxed(node: assembler.addNode(value)))
    case .instance:
      putObject(
        key, .foreign(source, number), foreignIdentity(source, number, &assembler), &assembler)
    }
  }
}

extension ArchiveValue {
  fileprivate var isReference: Bool {
    if case .reference = self { true } else { false }
  }
}
