import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// A migration that a full disk stops: Core Data's error, an unchanged store, and no files left behind.
@Suite(.serialized) struct FailingMigrationTests {
  /// The way a store is migrated.
  enum Way: CaseIterable {
    case inferred, mapping, staged

    var target: NSManagedObjectModel {
      switch self {
      case .inferred, .staged:
        EventModels.model(title: true) { model in
          // The table is rebuilt, so all rows are written again.
          let event = model.entitiesByName["Event"]
          event?.properties += [
            attribute("text", .stringAttributeType, default: "none"),
            attribute("rank", .integer32AttributeType, default: 1),
          ]
        }
      case .mapping: MappingMigrationTests.target()
      }
    }

    var options: [AnyHashable: Any] {
      switch self {
      case .inferred: return TestStore.migrating
      case .mapping:
        RecordingPolicy.register()
        var options = TestStore.migrating
        options[MomKitMigrationMappingModelOption] = MappingMigrationTests.mapping(
          policy: "RecordingPolicy")
        return options
      case .staged:
        return [
          NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([
            NSLightweightMigrationStage(
              [EventModels.model(), target].map(\.versionChecksum))
          ])
        ]
      }
    }
  }

  private func fill(_ url: URL) throws {
    let context = try TestStore.open(url, EventModels.model())
    for number in 0..<40 {
      let place = NSEntityDescription.insertNewObject(forEntityName: "Location", into: context)
      place["name"] = "place \(number) " + String(repeating: "x", count: 1500)
      for index in 0..<20 {
        let event = NSEntityDescription.insertNewObject(forEntityName: "Event", into: context)
        event["timestamp"] = Date(timeIntervalSinceReferenceDate: Double(number * 100 + index))
        event["location"] = place
      }
    }
    try context.save()
    try TestStore.close(context)
  }

  private func check(_ error: any Error, _ codes: Set<Int>, _ comment: Comment) {
    let error = error as NSError
    #expect(error.domain == NSCocoaErrorDomain, comment)
    #expect(codes.contains(error.code), "\(comment): \(error)")
  }

  private static let diskCodes: Set<Int> = [
    CocoaError.Code.fileWriteOutOfSpace.rawValue, CocoaError.Code.fileWriteUnknown.rawValue,
    NSMigrationError, NSPersistentStoreOpenError, NSPersistentStoreSaveError,
    NSMigrationManagerDestinationStoreError,
  ]

  /// Disks of all sizes, from one that only fits the store to one that is large enough.
  @Test(.enabled(if: SmallDisk.isPossible, SmallDisk.impossible), arguments: Way.allCases)
  func aFullDiskLosesNothing(way: Way) throws {
    let folder = try TemporaryFolder()
    let original = folder.file("Events.sqlite")
    try fill(original)
    let bytes = try Data(contentsOf: original)
    let pages = bytes.count / 4096
    var failures = 0
    var successes = 0
    var wrong: [String] = []
    var last: (any Error)?
    for extra in Array(stride(from: 1, to: pages * 6, by: max(pages / 3, 1))) + [pages * 60] {
      let disk = try SmallDisk(pages: pages + extra)
      let store = disk.url.appendingPathComponent("Events.sqlite")
      try bytes.write(to: store)
      do {
        try TestStore.migrate(store, to: way.target, options: way.options)
        successes += 1
        #expect(try StoreCheck.findings(at: store, model: way.target) == [])
      } catch {
        failures += 1
        last = error
        check(error, Self.diskCodes, "\(way) with \(extra) pages more")
        // SQLite's own files may remain, empty, if there is no space even for them.
        let left = try TemporaryFolder.contents(of: disk.url).filter {
          !($0.key.hasSuffix("-wal") && $0.value.isEmpty) && !$0.key.hasSuffix("-shm")
        }
        if left != ["Events.sqlite": bytes] {
          wrong.append(
            "\(extra): \(left.mapValues(\.count)) \(left["Events.sqlite"] == bytes)")
        }
      }
    }
    #expect(wrong == [])
    #expect(failures > 0)
    #expect(successes > 0, "\(String(describing: last))")
    print("full disk, \(way): \(failures) failures, \(successes) successes")
  }

  @Test(.enabled(if: SmallDisk.isPossible, SmallDisk.impossible), arguments: Way.allCases)
  func aReadOnlyDiskIsAnError(way: Way) throws {
    let folder = try TemporaryFolder()
    let original = folder.file("Events.sqlite")
    try fill(original)
    let disk = try SmallDisk(pages: 2000)
    let store = disk.url.appendingPathComponent("Events.sqlite")
    try FileManager.default.copyItem(at: original, to: store)
    let before = try TemporaryFolder.contents(of: disk.url)
    try disk.makeReadOnly()
    let error = #expect(throws: (any Error).self) {
      try TestStore.migrate(store, to: way.target, options: way.options)
    }
    if let error {
      check(
        error, [NSPersistentStoreOpenError, CocoaError.Code.fileWriteVolumeReadOnly.rawValue],
        "\(way)")
    }
    #expect(try TemporaryFolder.contents(of: disk.url) == before)
    // The store on such a disk can still be read with its own model.
    let context = try TestStore.open(
      store, EventModels.model(), options: [NSReadOnlyPersistentStoreOption: true])
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Event")) == 800)
  }

  /// A store whose rows can't be read: the pages of a table are overwritten, or the file is truncated.
  @Test(arguments: Way.allCases, [true, false])
  func anUnreadableSourceStaysAsItIs(way: Way, isCut: Bool) throws {
    let folder = try TemporaryFolder()
    let store = folder.file("Events.sqlite")
    try fill(store)
    let root = try #require(
      try SQLiteConnection.reading(store).integer(
        "SELECT rootpage FROM sqlite_master WHERE name = 'ZEVENT'"))
    let handle = try FileHandle(forWritingTo: store)
    if isCut {
      let size = try handle.seekToEnd()
      try handle.truncate(atOffset: size / 8192 * 4096)
    } else {
      try handle.seek(toOffset: UInt64(root - 1) * 4096)
      try handle.write(contentsOf: Data(repeating: 0xAB, count: 4096))
    }
    try handle.close()
    let before = try folder.contents()
    let error = #expect(throws: (any Error).self) {
      try TestStore.migrate(store, to: way.target, options: way.options)
    }
    if let error {
      check(error, [CocoaError.Code.fileReadCorruptFile.rawValue], "\(way), cut: \(isCut)")
    }
    let after = try folder.contents()
    #expect(after.keys.sorted() == before.keys.sorted())
    #expect(after == before)
  }
}

/// A file system of a few pages, in memory. Mounting one requires privileges that few environments except CI
/// containers have.
final class SmallDisk {
  static let impossible: Comment = "file systems can't be mounted here"
  static let isPossible: Bool = {
    guard geteuid() == 0, let disk = try? SmallDisk(pages: 16) else { return false }
    return disk.isMounted
  }()

  let url: URL
  private var isMounted = false

  struct Failure: Error {}

  init(pages: Int) throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("momkit-disk-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    guard
      try Self.run(["mount", "-t", "tmpfs", "-o", "size=\(pages * 4096)", "tmpfs", url.path]) == 0
    else {
      try FileManager.default.removeItem(at: url)
      throw Failure()
    }
    isMounted = true
  }

  func makeReadOnly() throws {
    guard try Self.run(["mount", "-o", "remount,ro", url.path]) == 0 else { throw Failure() }
  }

  private static func run(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  deinit {
    guard isMounted else { return }
    // Lazily: an open file keeps the disk, but not its mount point.
    _ = try? Self.run(["umount", "-l", url.path])
    try? FileManager.default.removeItem(at: url)
  }
}
