import DataModels
import Foundation
import Synchronization

/// Learns which keys a Swift key path of a managed object class reads: `\Person.employer?.name` is
/// `employer.name`.
///
/// A managed property is computed, so a key path of it knows a function and no name. The path is read on an
/// object that belongs to no context, of an entity without that property: what the accessors then ask for are
/// the keys. To-one relationships lead to further such objects.
final class KeyPathRecorder: @unchecked Sendable {
  // Used by one thread: the one that reads the path.
  private struct Reading {
    let object: NSManagedObject
    var keys: [String] = []
    /// Where the last key led.
    var destination: NSManagedObject?
  }

  private var readings: [Reading] = []

  /// The recorder at work in this task.
  @TaskLocal private static var current: KeyPathRecorder?

  /// The model of the objects that record, which nobody else keeps.
  private static let model: NSManagedObjectModel = {
    let value = NSAttributeDescription()
    value.name = "value"
    value.isOptional = true
    let entity = NSEntityDescription()
    entity.name = "KeyPath"
    // No class's name: nobody takes the entity for theirs.
    entity.managedObjectClassName = "-"
    entity.properties = [value]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    return model
  }()

  /// The layout of the objects that record.
  private static let layout: EntityLayout? = {
    let layout = ModelLayout.of(model)["KeyPath"]
    layout?.recordsKeys = true
    return layout
  }()

  /// The keys of a path, joined by dots; nil for one that doesn't begin at a managed object, or reads none or
  /// several of its properties.
  static func name(of keyPath: AnyKeyPath) -> String? {
    let recorder = KeyPathRecorder()
    return $current.withValue(recorder) {
      guard let type = Swift.type(of: keyPath).rootType as? NSManagedObject.Type,
        let root = recorder.make(type)
      else { return nil }
      _ = root[keyPath: keyPath]
      return recorder.name(from: root)
    }
  }

  private func make(_ type: NSManagedObject.Type) -> NSManagedObject? {
    guard let layout = Self.layout else { return nil }
    let object = type.init(ManagedObjectOrigin(layout, context: nil))
    readings.append(Reading(object: object))
    return object
  }

  private func name(from root: NSManagedObject) -> String? {
    var names: [String] = []
    var next: NSManagedObject? = root
    while let reading = readings.first(where: { $0.object === next }), !reading.keys.isEmpty {
      guard Set(reading.keys).count == 1 else { return nil }
      names.append(reading.keys[0])
      next = reading.destination
    }
    return names.isEmpty ? nil : names.joined(separator: ".")
  }

  /// Notes that a key was asked for; the property that is read in its place, or nil if the object doesn't record.
  static func record(_ key: String, on object: NSManagedObject) -> PropertyLayout? {
    guard object.layout.recordsKeys, let recorder = current else { return nil }
    if let index = recorder.readings.firstIndex(where: { $0.object === object }) {
      recorder.readings[index].keys.append(key)
    }
    return layout?.values.first
  }

  /// What a property of an object that records reads as, where it must be an object.
  static func standIn<Value>(_ type: Value.Type, for object: NSManagedObject) -> Value? {
    guard object.layout.recordsKeys, let recorder = current else { return nil }
    guard let objectType = type as? NSManagedObject.Type else {
      if let cases = type as? any CaseIterable.Type { return first(of: cases) as? Value }
      return [NSSet(), NSOrderedSet(), NSDecimalNumber.zero].lazy.compactMap { $0 as? Value }.first
    }
    let made = recorder.make(objectType)
    if let index = recorder.readings.firstIndex(where: { $0.object === object }) {
      recorder.readings[index].destination = made
    }
    return made as? Value
  }

  private static func first<Cases: CaseIterable>(of type: Cases.Type) -> Any? {
    type.allCases.first
  }
}
