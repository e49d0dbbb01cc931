import CoreData
import Foundation
import Testing

/// A class with properties of its own, and the method that `momtool port` writes for them.
private final class KeyedCrate: NSManagedObject {
  enum Size: Int16 { case small, large }

  var count = 0
  var weight = 1.0
  var isOpen = false
  var price: Decimal = 0
  var size = Size.small
  var label: String? = "none"
  var limit: Int? = 1
  var tags: Set<String> = []
  var prices: Set<Decimal> = []
  var note: Any?
  var neighbour: KeyedCrate?
  var undefined: [String] = []

  /// An attribute with a setter of its own.
  var packed: Date {
    get { primitiveValue(forKey: "packed") as? Date ?? .distantPast }
    set {
      setPrimitiveValue(newValue, forKey: "packed")
      label = nil
    }
  }

  override func setValue(_ value: Any?, forKey key: String) {
    switch key {
    case "count": if let new = keyValue(value, for: self.count) { self.count = new; return }
    case "isOpen": if let new = keyValue(value, for: self.isOpen) { self.isOpen = new; return }
    case "label": if let new = keyValue(value, for: self.label) { self.label = new; return }
    case "limit": if let new = keyValue(value, for: self.limit) { self.limit = new; return }
    case "neighbour":
      if let new = keyValue(value, for: self.neighbour) { self.neighbour = new; return }
    case "note": if let new = keyValue(value, for: self.note) { self.note = new; return }
    case "packed": if let new = keyValue(value, for: self.packed) { self.packed = new; return }
    case "price": if let new = keyValue(value, for: self.price) { self.price = new; return }
    case "prices": if let new = keyValue(value, for: self.prices) { self.prices = new; return }
    case "size": if let new = keyValue(value, for: self.size) { self.size = new; return }
    case "tags": if let new = keyValue(value, for: self.tags) { self.tags = new; return }
    case "weight": if let new = keyValue(value, for: self.weight) { self.weight = new; return }
    default: break
    }
    super.setValue(value, forKey: key)
  }

  override func setValue(_ value: Any?, forUndefinedKey key: String) { undefined.append(key) }
}

/// Properties of a class that key-value coding sets through their own setters.
@Suite struct ComputedKeyTests {
  private let model: NSManagedObjectModel
  private let crate: KeyedCrate
  private let entity: NSEntityDescription

  init() {
    let packed = NSAttributeDescription()
    (packed.name, packed.type, packed.isOptional) = ("packed", .date, true)
    entity = NSEntityDescription()
    (entity.name, entity.properties) = ("KeyedCrate", [packed])
    model = NSManagedObjectModel()
    model.entities = [entity]
    crate = KeyedCrate(entity: entity, insertInto: nil)
  }

  @Test func `numbers have the property's type`() {
    crate.setValue(NSNumber(value: 2.5), forKey: "count")
    #expect(crate.count == 2)
    crate.setValue(true, forKey: "count")
    #expect(crate.count == 1)
    crate.setValue(3, forKey: "weight")
    #expect(crate.weight == 3)
    crate.setValue(NSNumber(value: 2), forKey: "isOpen")
    #expect(crate.isOpen)
    crate.setValue(7, forKey: "price")
    #expect(crate.price == 7)
    crate.setValue(Int16(4), forKey: "limit")
    #expect(crate.limit == 4)
    #expect(crate.undefined.isEmpty)
  }

  @Test func `raw values are those of an enumeration`() {
    crate.setValue(1, forKey: "size")
    #expect(crate.size == .large)
    crate.setValue(KeyedCrate.Size.small, forKey: "size")
    #expect(crate.size == .small)
    crate.setValue(5, forKey: "size")
    #expect(crate.size == .small)
    #expect(crate.undefined == ["size"])
  }

  @Test func `an optional property can have no value`() {
    for value in [nil, NSNull()] as [Any?] {
      (crate.label, crate.limit, crate.note, crate.neighbour) = ("", 1, 1, crate)
      for key in ["label", "limit", "note", "neighbour"] { crate.setValue(value, forKey: key) }
      #expect(crate.label == nil)
      #expect(crate.limit == nil)
      #expect(crate.note == nil)
      #expect(crate.neighbour == nil)
    }
    crate.setValue("full" as NSString, forKey: "label")
    #expect(crate.label == "full")
    let other = KeyedCrate(entity: entity, insertInto: nil)
    crate.setValue(other, forKey: "neighbour")
    #expect(crate.neighbour === other)
  }

  @Test func `sets of any class are kept`() {
    crate.setValue(NSMutableSet(array: ["a", "b"]), forKey: "tags")
    #expect(crate.tags == ["a", "b"])
    crate.setValue(NSSet(array: ["c"]), forKey: "tags")
    #expect(crate.tags == ["c"])
    crate.setValue(["d"] as Set<String>, forKey: "tags")
    #expect(crate.tags == ["d"])
    // Decimals can't be hashed in Foundation's sets.
    crate.setValue([1, 2] as Set<Decimal>, forKey: "prices")
    #expect(crate.prices == [1, 2])
    let read = crate.keyValue(of: crate.prices) as? Set<Decimal>
    #expect(read == [1, 2])
  }

  @Test func `what a property can't have goes to the superclass`() {
    crate.setValue("three", forKey: "count")
    crate.setValue(nil, forKey: "isOpen")
    crate.setValue(Date(), forKey: "label")
    #expect(crate.undefined == ["count", "isOpen", "label"])
    #expect(crate.label == "none")
  }

  @Test func `an attribute is set by the class's own setter`() {
    let date = Date(timeIntervalSinceReferenceDate: 1)
    crate.setValue(date, forKey: "packed")
    #expect(crate.packed == date)
    #expect(crate.label == nil)
    crate.label = "kept"
    crate.setValue(nil, forKey: "packed")
    #expect(crate.primitiveValue(forKey: "packed") == nil)
    #expect(crate.label == "kept")
  }
}
