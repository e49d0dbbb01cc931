import Foundation
import StoreSupport
import Testing

@testable import ManagedObjects

/// What an object takes: a program has very many of them, and nobody watches most.
@Suite struct ObjectSizeTests {
  /// As generated and ported classes are: accessors, and nothing of their own.
  private final class PlainBrick: NSManagedObject {
    var weight: Double {
      get { managed("weight") }
      set { setManaged(newValue, "weight") }
    }
  }

  /// As classes that are written for MomKit are.
  private final class DeclaredBrick: NSManagedObject {
    @Managed var weight: Double
    @Managed var found: Date?
  }

  /// Values and observers have their places elsewhere: in rows that are shared, and in a table of what is watched.
  @Test func anObjectIsItsStorageAndItsEntity() {
    #expect(MemoryLayout<ObjectStorage>.size == 96)
    let (header, entity) = (2 * MemoryLayout<Int>.size, MemoryLayout<AnyObject>.size)
    let bare = instanceSize(NSManagedObject.self)
    #expect(bare == header + entity + MemoryLayout<ObjectStorage>.size)
    #expect(instanceSize(PlainBrick.self) == bare)
    // A declaration keeps the name it was given.
    #expect(instanceSize(DeclaredBrick.self) == bare + 2 * MemoryLayout<String?>.size)
  }

  /// The word of Swift's class metadata that has the size of an instance.
  private func instanceSize(_ type: AnyClass) -> Int {
    let metadata = unsafeBitCast(type, to: UnsafePointer<UInt32>.self)
    return Int(metadata[Self.instanceSizeWord])
  }

  private static let instanceSizeWord = 6
}
