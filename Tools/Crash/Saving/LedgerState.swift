import MomKit

/// The expected contents of a ledger after a number of steps, computed without a store: each step depends only on its
/// number.
struct LedgerState: Equatable {
  struct Entry: Equatable {
    var text: String
    var payload: Data?
    var tags: Set<Int>
  }

  var step = 0
  var entries: [Int: Entry] = [:]
  var tags: Set<Int> = []

  /// The number of steps after which entries are deleted.
  static let age = 8

  init() {}

  /// Creates the state after `count` steps.
  init(after count: Int) {
    // Anything older has been deleted again.
    for step in stride(from: max(1, count - 3 * Self.age), through: count, by: 1) { take(step) }
    step = count
    let oldest = (count - Self.age) * 10 + 9
    entries = entries.filter { $0.key > oldest }
    tags = tags.filter { $0 > count - Self.age }
    for key in entries.keys { entries[key]?.tags.formIntersection(tags) }
  }

  private mutating func take(_ step: Int) {
    tags.insert(step)
    for place in 0..<3 {
      let number = step * 10 + place
      entries[number] = Entry(
        text: "entry \(number)", payload: Self.payload(number), tags: place == 0 ? [step] : [])
    }
    if tags.contains(step - 1) { entries[step * 10]?.tags.insert(step - 1) }
    entries[(step - 1) * 10 + 1] = nil
    if entries[(step - 1) * 10] != nil {
      entries[(step - 1) * 10]?.text = "changed in \(step)"
      entries[(step - 1) * 10]?.payload = Self.payload(step + 3)
    }
  }

  /// Returns nil, a small value that is stored in the row, or a large one that is stored in a file.
  static func payload(_ number: Int) -> Data? {
    let byte = UInt8(truncatingIfNeeded: number)
    return switch number % 5 {
    case 0, 3: Data(repeating: byte, count: 110_000 + number % 1000)
    case 1: Data(repeating: byte, count: 10)
    default: nil
    }
  }

  /// Performs a step in a store, without saving.
  static func perform(_ step: Int, in context: NSManagedObjectContext) throws {
    let ledger =
      try LedgerModel.ledger(context)
      ?? NSEntityDescription.insertNewObject(forEntityName: "Ledger", into: context)
    ledger["step"] = step
    let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
    tag["number"] = step
    for place in 0..<3 {
      let entry = NSEntityDescription.insertNewObject(forEntityName: "Entry", into: context)
      let number = step * 10 + place
      entry["number"] = number
      entry["text"] = "entry \(number)"
      entry["payload"] = payload(number)
      entry["ledger"] = ledger
      guard place == 0 else { continue }
      entry.mutableSetValue(forKey: "tags").add(tag)
      if let previous = try LedgerModel.object("Tag", step - 1, context) {
        entry.mutableSetValue(forKey: "tags").add(previous)
      }
    }
    if let dropped = try LedgerModel.object("Entry", (step - 1) * 10 + 1, context) {
      context.delete(dropped)
    }
    if let changed = try LedgerModel.object("Entry", (step - 1) * 10, context) {
      changed["text"] = "changed in \(step)"
      changed["payload"] = payload(step + 3)
    }
    for place in [0, 2] {
      if let old = try LedgerModel.object("Entry", (step - age) * 10 + place, context) {
        context.delete(old)
      }
    }
    if let old = try LedgerModel.object("Tag", step - age, context) { context.delete(old) }
  }

  /// Reads a store's contents.
  init(of store: URL) throws {
    let context = try LedgerModel.open(store, options: [NSReadOnlyPersistentStoreOption: true])
    step = (try LedgerModel.ledger(context)?["step"] as? Int) ?? 0
    for entry in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Entry")) {
      let tags = (entry["tags"] as? NSSet)?.compactMap {
        ($0 as? NSManagedObject)?["number"] as? Int
      }
      entries[entry["number"] as? Int ?? -1] = Entry(
        text: entry["text"] as? String ?? "", payload: entry["payload"] as? Data,
        tags: Set(tags ?? []))
    }
    for tag in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag")) {
      tags.insert(tag["number"] as? Int ?? -1)
    }
  }

  /// Describes the differences from another state, or returns nil if there are none.
  func difference(from other: LedgerState) -> String? {
    if self == other { return nil }
    if step != other.step { return "step \(step), expected \(other.step)" }
    if tags != other.tags { return "tags \(tags.sorted()), expected \(other.tags.sorted())" }
    let numbers = Set(entries.keys).union(other.entries.keys).sorted()
    let differing = numbers.filter { entries[$0] != other.entries[$0] }
    return "after step \(step) these entries differ: \(differing)"
  }
}
