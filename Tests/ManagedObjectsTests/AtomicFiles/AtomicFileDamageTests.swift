import DataModels
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Randomly damaged store files: they are opened or rejected, and never trap.
///
/// `MOMKIT_STORE_DAMAGE` sets the number of mutations of each type (default 500), `MOMKIT_STORE_DAMAGE_FROM` the
/// first seed.
@Suite struct AtomicFileDamageTests {
  private static let count =
    ProcessInfo.processInfo.environment["MOMKIT_STORE_DAMAGE"].flatMap { Int($0) } ?? 500
  private static let start =
    ProcessInfo.processInfo.environment["MOMKIT_STORE_DAMAGE_FROM"].flatMap { Int($0) } ?? 0

  private let folder: TemporaryFolder
  private let model = AtomicFiles.model()

  init() throws { folder = try TemporaryFolder() }

  private func fill(_ context: NSManagedObjectContext) throws {
    let songs = (0..<4).map { number -> NSManagedObject in
      var values: [String: Any] = ["name": "Nº \(number) <&>", "short": number, "long": -number]
      values["isLoud"] = number > 1
      values["length"] = Double(number) / 3
      values["gain"] = Float(number)
      values["price"] = NSDecimalNumber(value: number)
      values["played"] = Date(timeIntervalSinceReferenceDate: Double(number))
      values["code"] = UUID(uuidString: "6F2B8C1E-0000-4000-8000-0123456789AB")
      values["link"] = URL(string: "https://example.org/\(number)")
      values["cover"] = Data([1, 2, 3])
      values["words"] = ["la"]
      values["place"] = ["city": "Ulm", "row": 1] as [String: Any]
      return AtomicFiles.new("Song", values, context)
    }
    let tag = AtomicFiles.new("Tag", ["label": "t"], context)
    _ = AtomicFiles.new(
      "Single", ["songs": NSOrderedSet(array: songs), "tags": NSSet(array: [tag])], context)
    try context.save()
  }

  private static let marks = Array("<>/\"'=&;\\ z0199-\u{0}\n".utf8) + [0x80, 0xFF, 0xC3, 0xED]

  private func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
    for _ in 0..<random.number(1...3) {
      guard !bytes.isEmpty else { return }
      let place = random.number(0...bytes.count - 1)
      let end = min(bytes.count, place + random.number(1...40))
      switch random.number(0...5) {
      case 0: bytes[place] = UInt8(random.number(0...255))
      case 1: bytes[place] = random.pick(Self.marks) ?? 0
      case 2: bytes.removeSubrange(place..<end)
      case 3:
        bytes.insert(contentsOf: Array(bytes[place..<end]), at: random.number(0...bytes.count))
      case 4: bytes.insert(random.pick(Self.marks) ?? 0, at: place)
      default: bytes[place] ^= 1 << UInt8(random.number(0...7))
      }
    }
  }

  @Test(arguments: AtomicFiles.types) func damagedFilesAreOpenedOrRefused(type: String) throws {
    let url = folder.file("store")
    try fill(try AtomicFiles.context(type, url, model))
    let sound = [UInt8](try Data(contentsOf: url))
    let file = folder.file("damaged")
    var opened = 0
    for seed in Self.start..<Self.start + Self.count {
      var random = SeededGenerator(seed: UInt64(seed))
      var bytes = sound
      damage(&bytes, &random)
      try Data(bytes).write(to: file)
      _ = try? NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: file)
      guard let context = try? AtomicFiles.context(type, file, model) else {
        #expect(try Data(contentsOf: file) == Data(bytes), "seed \(seed)")
        continue
      }
      opened += 1
      // Whatever could be read can be accessed, changed, saved and read again.
      var touched = 0
      for name in ["Song", "Album", "Tag"] {
        for object in try AtomicFiles.all(name, context) {
          for property in object.entity.properties {
            _ = object.value(forKey: property.name)
          }
          let key = ["Song": "name", "Album": "title", "Tag": "label"][name] ?? ""
          object.setValue("changed", forKey: key)
          touched += 1
        }
      }
      guard (try? context.save()) != nil else { continue }
      let again = try AtomicFiles.context(type, file, model)
      let count = try ["Song", "Album", "Tag"].reduce(0) {
        try $0 + AtomicFiles.all($1, again).count
      }
      #expect(count == touched, "seed \(seed)")
    }
    #expect(opened > 0 && opened < Self.count)
  }
}
