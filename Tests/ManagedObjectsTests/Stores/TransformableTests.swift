import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Values of any class, stored as bytes by a transformer.
@Suite struct TransformableTests {
  private static func model() -> NSManagedObjectModel {
    let entity = entity("Drawing", class: "Drawing")
    func transformable(_ name: String, _ transformer: String?) -> NSAttributeDescription {
      let attribute = attribute(name, .transformableAttributeType)
      attribute.valueTransformerName = transformer
      return attribute
    }
    entity.properties = [
      transformable("tags", nil), transformable("notes", "NSSecureUnarchiveFromData"),
      transformable("size", "SizeTransformer"), transformable("color", "ColorTransformer"),
      transformable("missing", "NobodysTransformer"),
    ]
    return NSManagedObjectModel(of: [entity])
  }

  private func open(_ url: URL) throws -> NSManagedObjectContext {
    ValueTransformer.setValueTransformer(
      SizeTransformer(), forName: NSValueTransformerName("SizeTransformer"))
    ValueTransformer.setValueTransformer(
      ColorTransformer(), forName: NSValueTransformerName("ColorTransformer"))
    return try TestStore.open(url, Self.model())
  }

  private func bytes(_ column: String, in url: URL) throws -> Data? {
    try SQLiteConnection.reading(url).withStatement("SELECT \(column) FROM ZDRAWING") { row in
      try row.step() ? row.blob(at: 0) : nil
    }
  }

  /// Foundation's archiver stops the program when it is asked for such a class's name.
  @Test func valuesOfNestedClassesAreRefused() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder.file("Drawings.sqlite"))
    let values: [Any] = [
      NestedValue.Inner(), [NestedValue.Inner()] as NSArray, PrivateValue(), [NestedValue.Inner()],
      [Size(width: 1, height: 2)], ["size": Size(width: 1, height: 2)], [[PrivateValue()]],
      [Color(red: 1): "a key of a class that isn't allowed here"],
    ]
    for value in values {
      let drawing = NSEntityDescription.insertNewObject(forEntityName: "Drawing", into: context)
      drawing.setValue(value, forKey: "tags")
      #expect(throws: (any Error).self) { try context.save() }
      context.rollback()
    }
  }

  /// Swift's arrays, sets and dictionaries of objects that Foundation archives.
  @Test func collectionsOfOwnObjectsComeBack() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    func comesBack<Value>(_ value: Value, reds: (Value) -> [Int]) throws {
      let context = try open(url)
      let drawing = NSEntityDescription.insertNewObject(forEntityName: "Drawing", into: context)
      drawing.setValue(value, forKey: "color")
      try context.save()
      let reader = try open(url)
      let found = try reader.existingObject(
        with: try #require(
          reader.persistentStoreCoordinator?.managedObjectID(
            forURIRepresentation: drawing.objectID.uriRepresentation())))
      let read = try #require(found.value(forKey: "color") as? Value, "\(Value.self)")
      #expect(reds(read) == reds(value))
    }
    let (one, two) = (Color(red: 1), Color(red: 2))
    try comesBack([one, two]) { $0.map(\.red) }
    try comesBack([[one], [], [two]]) { $0.flatMap { $0.map(\.red) + [-1] } }
    try comesBack([one, two] as Set) { $0.map(\.red).sorted() }
    try comesBack(["a", one, 3] as [Any]) { $0.compactMap { ($0 as? Color)?.red } }
    try comesBack([one: "one", two: "two"]) { $0.keys.map(\.red).sorted() }
    try comesBack(["one": one, "two": two]) { [$0["one"]?.red ?? 0, $0["two"]?.red ?? 0] }
  }

  /// Stored as bytes before the change, and as a value after it was read.
  @Test func aValueThatWasLookedAtIsNoChangeAfterUndo() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    let writer = try open(url)
    let drawing = Drawing(context: writer)
    drawing.size = Size(width: 3, height: 4)
    drawing.color = Color(red: 200)
    try writer.save()
    let context = try open(url)
    context.undoManager = UndoManager()
    let found = try #require(
      try context.fetch(NSFetchRequest<Drawing>(entityName: "Drawing")).first)
    found.color = Color(red: 7)
    #expect(found.size == Size(width: 3, height: 4))
    context.undo()
    #expect(!found.hasChanges)
    #expect(found.size == Size(width: 3, height: 4))
    #expect(found.color?.red == 200)
    try context.save()
    #expect(try SQLiteConnection.reading(url).integer("SELECT Z_OPT FROM ZDRAWING") == 1)
  }

  @Test func valuesComeBack() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    let context = try open(url)
    let drawing = Drawing(context: context)
    drawing.tags = ["a", "b"]
    let notes: [String: Any] = [
      "text": "Ünï", "number": 3, "half": 0.5, "flag": true,
      "date": Date(timeIntervalSinceReferenceDate: 1.5), "list": [1, 2, "x"],
      "exact": NSDecimalNumber(string: "12345.6789"), "id": UUID(uuidString: Self.uuid) as Any,
      "url": URL(string: "https://example.org/a") as Any, "data": Data([1, 2]),
    ]
    drawing["notes"] = notes
    drawing.size = Size(width: 3, height: 4)
    drawing.color = Color(red: 200)
    try context.save()
    let other = try open(url)
    let found = try #require(try other.fetch(NSFetchRequest<Drawing>(entityName: "Drawing")).first)
    #expect(found.tags == ["a", "b"])
    #expect(found.size == Size(width: 3, height: 4))
    #expect(found.color?.red == 200)
    let read = try #require(found["notes"] as? [String: Any])
    #expect(read.keys.sorted() == notes.keys.sorted())
    #expect(read["text"] as? String == "Ünï")
    #expect(read["number"] as? Int == 3)
    #expect(read["half"] as? Double == 0.5)
    #expect(read["flag"] as? Bool == true)
    #expect(read["date"] as? Date == Date(timeIntervalSinceReferenceDate: 1.5))
    #expect((read["list"] as? [Any])?.count == 3)
    #expect(read["exact"] as? NSDecimalNumber == NSDecimalNumber(string: "12345.6789"))
    #expect(read["id"] as? UUID == UUID(uuidString: Self.uuid))
    #expect(read["url"] as? URL == URL(string: "https://example.org/a"))
    #expect(read["data"] as? Data == Data([1, 2]))
    #expect(!found.hasChanges)
    #expect(!found.hasPersistentChangedValues)
    found.tags = ["c"]
    #expect(found.hasPersistentChangedValues)
    #expect(found.committedValues(forKeys: ["tags"])["tags"] as? [String] == ["a", "b"])
    try other.save()
    context.refresh(drawing, mergeChanges: false)
    #expect(drawing.tags == ["c"])
  }

  /// Integers over the largest signed one, alone and among others.
  @Test func largeIntegersComeBack() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    let context = try open(url)
    let numbers: [Any] = [
      NSNumber(value: UInt64.max), UInt64(1) << 63, -1, NSNumber(value: Int64.min),
    ]
    for value in numbers + [numbers] { Drawing(context: context)["notes"] = value }
    try context.save()
    let request = NSFetchRequest<Drawing>(entityName: "Drawing")
    let found = try open(url).fetch(request).map { $0["notes"] }
    #expect(found.count == 5)
    let lists: [[Any?]] = [found, try #require(found.last as? [Any])]
    for values in lists {
      #expect((values[0] as? NSNumber)?.uint64Value == .max)
      #expect((values[1] as? NSNumber)?.uint64Value == 1 << 63)
      #expect((values[2] as? NSNumber)?.int64Value == -1)
      #expect((values[3] as? NSNumber)?.int64Value == .min)
    }
  }

  /// Foundation's decimal numbers, which can't be hashed on Linux.
  @Test func setsOfDecimalNumbersComeBack() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    let context = try open(url)
    let numbers = try ["1.5", "2", "2.25"].map { try #require(Decimal(string: $0)) }
    let drawing = Drawing(context: context)
    drawing["notes"] = NSSet(array: numbers.map { HashableDecimalNumber(decimal: $0) })
    try context.save()
    let found = try #require(
      try open(url).fetch(NSFetchRequest<Drawing>(entityName: "Drawing")).first)
    let read = try #require(found["notes"] as? NSSet)
    #expect(read.compactMap { ($0 as? NSDecimalNumber)?.decimalValue }.sorted() == numbers)
  }

  /// A program that sets an array it changes later, expects one that it can change after the next launch, too.
  @Test func mutableObjectsStayMutable() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    let context = try open(url)
    let values: [Any] = [
      NSMutableArray(array: [1, NSMutableString(string: "inner")]), NSMutableString(string: "text"),
      NSMutableDictionary(dictionary: ["a": NSMutableArray()]), NSMutableSet(array: [1, 2]),
      NSMutableOrderedSet(array: [2, 1]), NSMutableData(data: Data([1, 2])),
      NSArray(array: [1]), "plain", ["a": 1], Data([3]), NSOrderedSet(array: [3, 1, 2]),
    ]
    for (value, number) in zip(values, 1...) {
      let drawing = Drawing(context: context)
      drawing["notes"] = value
      drawing.size = Size(width: UInt8(number), height: 0)
      try context.save()
    }
    let request = NSFetchRequest<Drawing>(entityName: "Drawing")
    let drawings = try open(url).fetch(request).sorted { $0.size?.width ?? 0 < $1.size?.width ?? 0 }
    let found = try drawings.map { try #require($0["notes"]) }
    let array = try #require(found[0] as? NSMutableArray)
    array.add(3)
    #expect(array.count == 3 && array[1] as? String == "inner")
    #expect((found[1] as? NSMutableString) == "text")
    let entries = try #require(found[2] as? NSMutableDictionary)
    #expect((entries["a"] as? [Any])?.isEmpty == true)
    #expect((found[3] as? NSMutableSet) == NSMutableSet(array: [1, 2]))
    #expect((found[4] as? NSMutableOrderedSet)?.array as? [Int] == [2, 1])
    #expect((found[5] as? NSMutableData) == NSMutableData(data: Data([1, 2])))
    #expect(!(found[6] is NSMutableArray) && found[6] as? [Int] == [1])
    #expect(found[7] as? String == "plain" && !(found[7] is NSMutableString))
    #expect(!(found[8] is NSMutableDictionary) && found[8] as? [String: Int] == ["a": 1])
    #expect(!(found[9] is NSMutableData) && found[9] as? Data == Data([3]))
    let ordered = try #require(found[10] as? NSOrderedSet)
    #expect(!(ordered is NSMutableOrderedSet) && ordered.array as? [Int] == [3, 1, 2])
    // Foundation's own unarchiver knows the classes.
    let data = try #require(try bytes("ZNOTES", in: url))
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSMutableArray.self, NSMutableString.self, NSNumber.self], from: data)
    #expect((read as? NSMutableArray)?.count == 2)
  }

  /// Equal members are one object of the archive.
  @Test(arguments: [5000, 100_000]) func manyEqualMembersComeBack(count: Int) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    let context = try open(url)
    let drawing = Drawing(context: context)
    drawing.tags = Array(repeating: "same", count: count)
    drawing["notes"] = Array(repeating: 0, count: count) as NSArray
    try context.save()
    let other = try open(url)
    let found = try #require(try other.fetch(NSFetchRequest<Drawing>(entityName: "Drawing")).first)
    #expect(found.tags?.count == count)
    #expect((found["notes"] as? [Int]) == Array(repeating: 0, count: count))
  }

  /// A long text that is stored once: the archive expands to hundreds of times its size, and isn't decoded.
  @Test func whatExpandsTooMuchIsNotSaved() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder.file("Drawings.sqlite"))
    let drawing = Drawing(context: context)
    drawing.tags = Array(repeating: String(repeating: "x", count: 50_000), count: 400)
    #expect(throws: NSError.self) { try context.save() }
    drawing.tags = Array(repeating: String(repeating: "x", count: 50_000), count: 300)
    try context.save()
    context.refresh(drawing, mergeChanges: false)
    #expect(drawing.tags?.count == 300)
  }

  private static let uuid = "6F1B6C1E-3C5E-4A7B-9B0E-0D8B1C2D3E4F"

  @Test(arguments: ["text", "", "Ünï"]) func textAloneIsAValue(text: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    let context = try open(url)
    for value in [text, NSString(string: text)] as [Any] {
      Drawing(context: context)["notes"] = value
    }
    try context.save()
    let other = try open(url)
    let found = try other.fetch(NSFetchRequest<Drawing>(entityName: "Drawing"))
    #expect(found.map { $0["notes"] as? String } == [text, text])
  }

  /// Such a value used to be saved, and was read back as nothing.
  @Test func whatCouldNotBeReadAgainIsNotSaved() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder.file("Drawings.sqlite"))
    let drawing = Drawing(context: context)
    drawing["notes"] = [Color(red: 1): "a key of a class that isn't allowed here"] as NSDictionary
    #expect(throws: NSError.self) { try context.save() }
    #expect(context.hasChanges)
    drawing["notes"] = ["1": "one"] as NSDictionary
    try context.save()
  }

  /// Dictionaries whose keys are of other plain classes than texts.
  @Test func keysOfAnyPlainClassComeBack() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    func comesBack<Value: Equatable>(_ value: Value) throws {
      let context = try open(url)
      let drawing = Drawing(context: context)
      drawing.setValue(value, forKey: "notes")
      try context.save()
      let reader = try open(url)
      let found = try reader.existingObject(
        with: try #require(
          reader.persistentStoreCoordinator?.managedObjectID(
            forURIRepresentation: drawing.objectID.uriRepresentation())))
      #expect(found.value(forKey: "notes") as? Value == value, "\(Value.self)")
    }
    let id = try #require(UUID(uuidString: Self.uuid))
    let day = Date(timeIntervalSinceReferenceDate: 1000)
    try comesBack([1: "one", 2: "two", -3: "three"])
    try comesBack([1: "one"] as NSDictionary)
    try comesBack([1.5: [1, 2], 2: []])
    try comesBack([id: "a"])
    try comesBack([day: 1, day + 1: 2])
    try comesBack([Data([1]): true])
    try comesBack([1: [day: "deep"]])
    try comesBack([1: "one", "a": "text"] as NSDictionary)
    try comesBack([true: "yes", false: "no"])
    try comesBack([Int: String]())
    if let site = URL(string: "https://example.org/a") { try comesBack([site: 1]) }
  }

  /// As Foundation, and Apple's systems, write it.
  @Test func foundationsDictionariesAreRead() throws {
    let values = [1: "one", 2: "two"] as NSDictionary
    let data = try NSKeyedArchiver.archivedData(withRootObject: values, requiringSecureCoding: true)
    #expect(try ValueArchive.value(of: data, allowing: []) as? NSDictionary == values)
    let ours = try ValueArchive.data(of: values, allowing: [])
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSDictionary.self, NSNumber.self, NSString.self], from: ours)
    #expect(read as? NSDictionary == values)
  }

  /// Values may be read back with Swift classes where Foundation classes were set, and vice versa.
  @Test func anEqualValueIsNoChange() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    let context = try open(url)
    let drawing = Drawing(context: context)
    let id = try #require(UUID(uuidString: Self.uuid))
    let day = Date(timeIntervalSinceReferenceDate: 1000)
    func values() -> NSArray {
      [
        NSString(string: "t1"), NSNumber(value: 1), 2, 0.5, true, day, id, Data([1]),
        ["deep": [NSNumber(value: 3), "x"]],
      ] as NSArray
    }
    drawing["notes"] = values()
    try context.save()
    let other = try open(url)
    let found = try #require(try other.fetch(NSFetchRequest<Drawing>(entityName: "Drawing")).first)
    found["notes"] = values()
    #expect(!found.hasPersistentChangedValues)
    found["notes"] = [NSString(string: "t1"), NSNumber(value: 2)] as NSArray
    #expect(found.hasPersistentChangedValues)
  }

  /// A change of something else by another writer preserves the value that both have, however it is kept here.
  @Test(arguments: [false, true], [["b"], nil])
  func othersChangesLeaveItAlone(isRead: Bool, tags: [String]?) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    let context = try open(url)
    let drawing = Drawing(context: context)
    drawing.tags = ["a"]
    try context.save()
    let other = try open(url)
    other.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    let found = try #require(try other.fetch(NSFetchRequest<Drawing>(entityName: "Drawing")).first)
    if isRead { #expect(found.tags == ["a"]) }
    _ = found.size
    drawing.size = Size(width: 1, height: 2)
    try context.save()
    found.tags = tags
    try other.save()
    #expect(found.tags == tags)
    #expect(found.size == Size(width: 1, height: 2))
    context.refresh(drawing, mergeChanges: false)
    #expect(drawing.tags == tags)
  }

  @Test func bytesStayAsTheyAreUnlessTheValueChanges() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    let context = try open(url)
    let drawing = Drawing(context: context)
    drawing.tags = ["a"]
    try context.save()
    // An archive that another program wrote differently.
    let foreign = try NSKeyedArchiver.archivedData(
      withRootObject: NSArray(array: ["x" as NSString]), requiringSecureCoding: true)
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    try connection.withStatement("UPDATE ZDRAWING SET ZTAGS = ?") { row in
      try row.bind(foreign, at: 1)
      try row.run()
    }
    context.refresh(drawing, mergeChanges: false)
    #expect(drawing.tags == ["x"])
    drawing.size = Size(width: 1, height: 1)
    try context.save()
    #expect(try bytes("ZTAGS", in: url) == foreign)
  }

  @Test func anEqualValueIsNoChangeThoughNobodyReadTheOldOne() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder.file("Drawings.sqlite"))
    let drawing = Drawing(context: context)
    drawing.tags = ["a"]
    try context.save()
    context.refresh(drawing, mergeChanges: false)
    drawing.setValue(["a"], forKey: "tags")
    #expect(drawing.isUpdated)
    #expect(!drawing.hasPersistentChangedValues)
    context.refresh(drawing, mergeChanges: false)
    drawing.tags = ["a"]
    #expect(drawing.changedValues().isEmpty)
  }

  @Test(arguments: [Data(), Data([0]), Data("bplist00".utf8), Data(repeating: 0xFF, count: 500)])
  func damagedBytesAreNoValue(bytes damage: Data) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    let context = try open(url)
    _ = Drawing(context: context)
    try context.save()
    context.reset()
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    try connection.withStatement(
      "UPDATE ZDRAWING SET ZTAGS = ?1, ZNOTES = ?1, ZSIZE = ?1, ZCOLOR = ?1, ZMISSING = ?1"
    ) { row in
      try row.bind(damage, at: 1)
      try row.run()
    }
    let found = try #require(
      try context.fetch(NSFetchRequest<Drawing>(entityName: "Drawing")).first)
    #expect(found.tags == nil)
    #expect(found["notes"] == nil)
    #expect(found.size == nil)
    #expect(found.color == nil)
    #expect(found["missing"] == nil)
    // Unreadable values aren't lost either.
    found.size = Size(width: 1, height: 1)
    try context.save()
    #expect(try bytes("ZTAGS", in: url) == damage)
  }

  @Test func classesThatAreNotAllowedAreNotMade() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    let context = try open(url)
    let drawing = Drawing(context: context)
    drawing.color = Color(red: 1)
    try context.save()
    let archive = try #require(try bytes("ZCOLOR", in: url))
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    try connection.withStatement("UPDATE ZDRAWING SET ZTAGS = ?1") { row in
      try row.bind(archive, at: 1)
      try row.run()
    }
    context.refresh(drawing, mergeChanges: false)
    #expect(drawing["tags"] == nil)
    #expect(drawing.color?.red == 1)
  }

  @Test func aTransformerThatIsMissingKeepsTheValueFromBeingSaved() throws {
    let folder = try TemporaryFolder()
    let context = try open(folder.file("Drawings.sqlite"))
    let drawing = Drawing(context: context)
    drawing["missing"] = "x"
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.localizedDescription.contains("NobodysTransformer") == true)
    drawing["missing"] = nil
    try context.save()
  }

  @Test func transformersHaveNames() {
    let name = NSValueTransformerName("TransformableTests.upper")
    #expect(ValueTransformer(forName: name) == nil)
    let made = SizeTransformer()
    ValueTransformer.setValueTransformer(made, forName: name)
    #expect(ValueTransformer(forName: name) === made)
    #expect(ValueTransformer.valueTransformerNames().contains(name))
    ValueTransformer.setValueTransformer(nil, forName: name)
    #expect(ValueTransformer(forName: name) == nil)
    #expect(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName) != nil)
  }

  private static func cases() -> NSManagedObjectModel {
    let composite = NSCompositeAttributeDescription()
    composite.name = "frame"
    composite.isOptional = true
    let inner = NSCompositeAttributeDescription()
    inner.name = "inner"
    inner.isOptional = true
    func transformable(_ name: String, _ transformer: String?) -> NSAttributeDescription {
      let attribute = attribute(name, .transformableAttributeType)
      attribute.valueTransformerName = transformer
      return attribute
    }
    inner.elements = [transformable("color", "ColorTransformer")]
    composite.elements = [
      transformable("size", "SizeTransformer"), transformable("tags", nil),
      attribute("label", .stringAttributeType), inner,
    ]
    let entity = entity("Drawing", [composite])
    return NSManagedObjectModel(of: [entity])
  }

  @Test func elementsOfCompositesAreTransformed() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Drawings.sqlite")
    _ = try open(folder.file("Other.sqlite"))
    func context() throws -> NSManagedObjectContext {
      return try TestStore.open(url, Self.cases())
    }
    let first = try context()
    let made = NSEntityDescription.insertNewObject(forEntityName: "Drawing", into: first)
    made["frame"] = [
      "size": Size(width: 3, height: 4), "tags": ["a", "b"], "label": "x",
      "inner": ["color": Color(red: 7)],
    ]
    try first.save()
    // The bytes are exactly those of the transformer.
    let expected = SizeTransformer().transformedValue(Size(width: 3, height: 4)) as? Data
    #expect(try bytes("ZSIZE", in: url) == expected)
    let second = try context()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Drawing")
    let found = try #require(try second.fetch(request).first)
    var frame = try #require(found["frame"] as? [String: Any])
    #expect(frame["size"] as? Size == Size(width: 3, height: 4))
    #expect(frame["tags"] as? [String] == ["a", "b"])
    #expect(((frame["inner"] as? [String: Any])?["color"] as? Color)?.red == 7)
    // A value that no transformer can read is written back unchanged.
    let connection = try SQLiteConnection(writing: url, creation: .existing)
    try connection.execute("UPDATE ZDRAWING SET ZTAGS = x'0102', ZSIZE = NULL")
    second.reset()
    let again = try #require(try second.fetch(request).first)
    frame = try #require(again["frame"] as? [String: Any])
    #expect(frame["size"] == nil)
    #expect(frame["tags"] as? [String] == nil)
    frame["label"] = "y"
    again["frame"] = frame
    try second.save()
    #expect(try bytes("ZTAGS", in: url) == Data([1, 2]))
    #expect(try connection.text("SELECT ZLABEL FROM ZDRAWING") == "y")
  }

}

final class Drawing: NSManagedObject {
  @Managed var tags: [String]?
  @Managed var size: Size?
  @Managed var color: Color?
}

struct Size: Equatable, ManagedPropertyValue {
  var width: UInt8
  var height: UInt8
}

/// Converts a size to two bytes.
final class SizeTransformer: ValueTransformer, @unchecked Sendable {
  override class func transformedValueClass() -> AnyClass { NSData.self }

  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Size).map { Data([$0.width, $0.height]) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data, data.count == 2 else { return nil }
    return Size(width: data[data.startIndex], height: data[data.startIndex + 1])
  }
}

/// A custom class of the program.
final class Color: NSObject, NSSecureCoding, ManagedPropertyValue {
  static var supportsSecureCoding: Bool { true }
  let red: Int
  init(red: Int) { self.red = red }
  init?(coder: NSCoder) { red = coder.decodeInteger(forKey: "red") }
  func encode(with coder: NSCoder) { coder.encode(red, forKey: "red") }
}

final class ColorTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
  override class var allowedTopLevelClasses: [AnyClass] { [Color.self] }
}

private enum NestedValue {
  final class Inner: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {}
  }
}

private final class PrivateValue: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  init?(coder: NSCoder) {}
  func encode(with coder: NSCoder) {}
}
