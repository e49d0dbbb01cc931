import DataModels
import Foundation
import Synchronization

/// Determines the keys that a Swift key path of a managed object class reads: `\Person.employer?.name` is
/// `employer.name`.
///
/// A managed property is computed, so its key path refers to a function and has no name. The path is therefore read
/// on an object without a context, of an entity without that property: the keys are those that the accessors request.
/// To-one relationships return further objects of this kind.
///
/// A property that a program computes from one key has no key itself, because its type or its value differs from the
/// accessor's. A property that returns exactly what it reads is treated as the property it reads.
final class KeyPathRecorder: @unchecked Sendable {
  // Sendable: used by one thread, which reads the path.
  private struct Reading {
    let object: NSManagedObject
    var keys: [String] = []
    /// The type as which the last key was read; nil if unknown.
    var type: Any.Type?
    /// The value returned for the last key, if it must be an object; a managed object continues the path.
    var given: AnyObject?
  }

  private let probe: KeyPathProbe
  private var readings: [Reading] = []

  private init(_ probe: KeyPathProbe) { self.probe = probe }

  /// The recorder active in this task.
  @TaskLocal private static var current: KeyPathRecorder?

  /// The keys of a path, joined by dots; nil for a path that doesn't start at a managed object, reads none or several
  /// of its properties, or returns another value than the property's.
  static func name(of keyPath: AnyKeyPath) -> String? {
    guard let root = Swift.type(of: keyPath).rootType as? NSManagedObject.Type else { return nil }
    let valueType = unwrapped(Swift.type(of: keyPath).valueType)
    var name: String?
    for probe in KeyPathProbe.probes(for: valueType) {
      let recorder = KeyPathRecorder(probe)
      let found = $current.withValue(recorder) { recorder.name(of: keyPath, on: root) }
      guard let found, name == nil || name == found else { return nil }
      name = found
    }
    return name
  }

  private func name(of keyPath: AnyKeyPath, on type: NSManagedObject.Type) -> String? {
    let root = make(type)
    let value = AttributeCodec.unwrapped(root[keyPath: keyPath])
    var names: [String] = []
    var last: Reading?
    var next: AnyObject? = root
    while let reading = readings.first(where: { $0.object === next }), !reading.keys.isEmpty {
      guard Set(reading.keys).count == 1 else { return nil }
      names.append(reading.keys[0])
      (last, next) = (reading, reading.given)
    }
    guard let last, isProperty(last, at: keyPath, reading: value) else { return nil }
    return names.joined(separator: ".")
  }

  /// Whether the value of a key path is the property that was read last.
  private func isProperty(_ last: Reading, at keyPath: AnyKeyPath, reading value: Any?) -> Bool {
    let type = Swift.type(of: keyPath).valueType
    if let read = last.type {
      let isUnwrapped = read is any AnyOptional.Type && !(type is any AnyOptional.Type)
      // A default in place of nil is computed; a value unwrapped by the path isn't.
      guard !isUnwrapped || keyPath.debugDescription.contains("!") else { return false }
      let (wanted, given) = (Self.unwrapped(type), Self.unwrapped(read))
      guard wanted == given || Self.rawType(of: wanted) == given else { return false }
    } else if probe.value == nil, let value {
      guard let given = last.given else { return false }
      return value as AnyObject === given
    }
    if let given = last.given { return value.map { $0 as AnyObject === given } ?? false }
    return probe.isGiven(value)
  }

  private func make(_ type: NSManagedObject.Type) -> NSManagedObject {
    let object = type.init(ManagedObjectOrigin(probe.layout, context: nil))
    readings.append(Reading(object: object))
    return object
  }

  /// Records that a key is read. Returns the property to read in its place, or nil if the object isn't recording.
  static func record(
    _ key: String, on object: NSManagedObject, as type: Any.Type? = nil
  ) -> PropertyLayout? {
    guard object.layout.recordsKeys, let recorder = current else { return nil }
    if let index = recorder.readings.firstIndex(where: { $0.object === object }) {
      recorder.readings[index].keys.append(key)
      recorder.readings[index].type = type
    }
    return recorder.probe.property
  }

  /// The value of a recording object's property, if it must be an object.
  static func standIn<Value>(_ type: Value.Type, for object: NSManagedObject) -> Value? {
    guard object.layout.recordsKeys, let recorder = current else { return nil }
    if let cases = type as? any CaseIterable.Type { return first(of: cases) as? Value }
    let given: AnyObject? =
      if let type = type as? NSManagedObject.Type {
        recorder.make(type)
      } else {
        [NSSet(), NSOrderedSet(), NSDecimalNumber.zero].first { $0 is Value }
      }
    if let index = recorder.readings.firstIndex(where: { $0.object === object }) {
      recorder.readings[index].given = given
    }
    return given as? Value
  }

  // MARK: Types

  private static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any AnyOptional.Type)?.wrappedType ?? type
  }

  /// The raw type of an enumeration; other types are returned unchanged.
  private static func rawType(of type: Any.Type) -> Any.Type {
    func raw<Value: RawRepresentable>(_ type: Value.Type) -> Any.Type { Value.RawValue.self }
    return (type as? any RawRepresentable.Type).map { raw($0) } ?? type
  }

  private static func first<Cases: CaseIterable>(of type: Cases.Type) -> Any? {
    type.allCases.first
  }
}
