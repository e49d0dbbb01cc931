import Foundation
import MomKit
import SharedModel

/// Random changes by apps, with what is known of the result: which objects must exist at the end, and which values
/// their attributes may have.
struct RandomEdits {
  private(set) var inserted: Set<UUID> = []
  private(set) var deleted: Set<UUID> = []
  /// All values that attributes were given, by object and name.
  private(set) var written: [UUID: [String: Set<WireValue>]] = [:]
  private var count = 0

  /// Makes one to four changes in a client's store, in one save.
  mutating func edit(_ client: TestClient, _ random: inout SeededRandom) throws {
    var next = self
    var generator = random
    try client.edit { context in
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        try next.change(context, &generator)
      }
    }
    (self, random) = (next, generator)
  }

  private mutating func change(
    _ context: NSManagedObjectContext, _ random: inout SeededRandom
  ) throws {
    func all(_ name: String) throws -> [NSManagedObject] {
      let request = NSFetchRequest<NSManagedObject>(entityName: name)
      request.sortDescriptors = [NSSortDescriptor(key: "identifier", ascending: true)]
      return try context.fetch(request)
    }
    count += 1
    let name = ["Note", "Note", "Note", "Site", "Tag"].randomElement(using: &random) ?? "Note"
    let objects = try all(name)
    let kind = Int.random(in: 0..<100, using: &random)
    guard kind >= 25, let object = objects.randomElement(using: &random),
      let id = object.sharedIdentifier
    else {
      let object = NSEntityDescription.insertNewObject(forEntityName: name, into: context)
      guard let id = object.sharedIdentifier else { return }
      inserted.insert(id)
      write(object, &random)
      try relate(object, all, &random)
      note(object, id)
      return
    }
    switch kind {
    case 25..<35:
      context.delete(object)
      deleted.insert(id)
    case 35..<65: try relate(object, all, &random)
    default:
      write(object, &random)
      note(object, id)
    }
  }

  /// Gives some of an object's attributes values.
  private func write(_ object: NSManagedObject, _ random: inout SeededRandom) {
    let text = ["", "ü\u{301}", "'\"\\", "\n\t", "𝄞"].randomElement(using: &random) ?? ""
    if let note = object as? Note {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: note.title = "title \(count) \(text)"
      case 1: note.text = Bool.random(using: &random) ? nil : text
      case 2: note.urgency = Int16.random(in: 0...9, using: &random)
      case 3: note.isDone.toggle()
      case 4: note.created = Date(timeIntervalSince1970: .random(in: -1e9...1e10, using: &random))
      default:
        note.photograph = Data((0..<30).map { _ in UInt8.random(in: 0...255, using: &random) })
      }
    } else if let site = object as? Site {
      site.name = "site \(count) \(text)"
      site.latitude = Double.random(in: -90...90, using: &random) as NSNumber
    } else if let tag = object as? Tag {
      tag.name = "tag \(count) \(text)"
    }
  }

  /// Changes an object's relationships, from either end.
  private func relate(
    _ object: NSManagedObject, _ all: (String) throws -> [NSManagedObject],
    _ random: inout SeededRandom
  ) throws {
    func some(_ name: String) throws -> Set<NSManagedObject> {
      let objects = try all(name)
      return Set(
        (0..<Int.random(in: 0...3, using: &random)).compactMap { _ in
          objects.randomElement(using: &random)
        })
    }
    switch object {
    case let note as Note:
      if Bool.random(using: &random) {
        note.site = try some("Site").first as? Site
      } else {
        note.setValue(try some("Tag"), forKey: "tags")
      }
    default:
      let notes = object.mutableSetValue(forKey: "notes")
      for note in try some("Note") {
        if notes.contains(note) { notes.remove(note) } else { notes.add(note) }
      }
    }
  }

  /// Notes the values of an object's attributes.
  private mutating func note(_ object: NSManagedObject, _ id: UUID) {
    guard let name = object.entity.name, let entity = SharedModel.entities[name] else { return }
    for attribute in entity.attributes.keys {
      guard let value = entity.value(of: attribute, in: object) else { continue }
      written[id, default: [:]][attribute, default: []].insert(value)
    }
  }
}
