import DataModels
import Foundation
import PredicateFormat

/// Predicate access to an object's properties.
extension NSManagedObject: KeyValueReadable {
  /// The value of a property in the form that predicates compare. Other keys are read as key-value coding reads them.
  public final func predicateValue(
    forKey key: String
  ) throws(PredicateFormatError) -> PredicateValue {
    guard let property = layout.property(key) else {
      switch key {
      case "self": return .object(OpaqueObject(self))
      case "objectID": return .object(OpaqueObject(objectID))
      case "entity": return .object(OpaqueObject(entity))
      default: return try UndefinedKeyCatcher.value(forKey: key, of: self)
      }
    }
    switch property.kind {
    case .attribute(.transformableAttributeType): return transformableValue(property)
    case .attribute(let type): return attributeValue(storedValue(at: property.slot), type)
    case .toOne: return toOne(property).map { .object(OpaqueObject($0)) } ?? .null
    case .toMany(let isOrdered):
      let objects = loadedMembers(property).objects.map {
        PredicateValue.object(OpaqueObject($0))
      }
      return isOrdered ? .orderedSet(objects) : .set(objects)
    case .fetched: return PredicateValue(reading: value(of: property))
    }
  }

  /// The transformer's result for the bytes, whether or not it was decoded before. Bytes that the transformer can't
  /// read still count as a value, which equals only the same bytes.
  private final func transformableValue(_ property: PropertyLayout) -> PredicateValue {
    if let value = value(of: property) { return PredicateValue(reading: value) }
    guard case .data(let data) = storedValue(at: property.slot) else { return .null }
    return .object(OpaqueObject(UntransformedBytes(data: data)))
  }

  private final func attributeValue(
    _ value: StoredValue, _ type: NSAttributeType
  ) -> PredicateValue {
    switch value {
    case .null: .null
    case .integer(let number):
      type == .booleanAttributeType ? .bool(number != 0) : .integer(number)
    case .real(let number):
      type == .dateAttributeType
        ? .date(Date(timeIntervalSinceReferenceDate: number)) : .double(number)
    case .text(let text): .string(text)
    case .data(let data): .data(data)
    case .reference(let id): .object(OpaqueObject(id))
    case .box(let box): PredicateValue(reading: box.value)
    }
  }
}

/// In predicates an object is compared by its ID, whatever its context and store: `company == %@` accepts an object
/// of any context, or an ID.
extension NSManagedObject: PredicateIdentifiable {
  package final var predicateIdentity: PredicateIdentity {
    if isTemporary { return identity.predicateIdentity }
    return PredicateIdentity(
      key: rowKey, store: storeReference.map(ObjectIdentifier.init), hierarchy: layout.rootID)
  }
}

extension NSManagedObjectID: PredicateIdentifiable {
  package var predicateIdentity: PredicateIdentity {
    let id = permanentID
    return PredicateIdentity(
      key: id.key, store: id.storeReference.map(ObjectIdentifier.init), hierarchy: id.layout.rootID)
  }

  /// The object's present ID: the permanent one that replaced a temporary ID.
  var permanentID: NSManagedObjectID {
    isTemporaryID ? successor ?? self : self
  }
}

// As on Apple's systems, where every object can be passed `as CVarArg` in a format's arguments.

extension NSManagedObject: CVarArg {
  /// Itself.
  public final var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self) }
}

extension NSManagedObjectID: CVarArg {
  /// Itself.
  public final var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self) }
}
