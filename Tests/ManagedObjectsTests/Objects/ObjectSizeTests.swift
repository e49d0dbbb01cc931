import Foundation
import StoreSupport
import Testing

@testable import ManagedObjects

/// The size of an object: a program has very many of them, most of them unobserved.
@Suite struct ObjectSizeTests {
  /// Like generated and ported classes: accessors without storage.
  private final class PlainBrick: NSManagedObject {
    var weight: Double {
      get { managed("weight") }
      set { setManaged(newValue, "weight") }
    }
  }

  /// Like classes written for MomKit.
  private final class DeclaredBrick: NSManagedObject {
    @Managed var weight: Double
    @Managed var found: Date?
  }

  /// Values and observers are stored elsewhere: in shared rows, and in a table of observed objects.
  @Test func anObjectIsItsStorageAndItsEntity() {
    #expect(MemoryLayout<ObjectStorage>.size == 96)
    let (header, entity) = (2 * MemoryLayout<Int>.size, MemoryLayout<AnyObject>.size)
    let bare = instanceSize(NSManagedObject.self)
    #expect(bare == header + entity + MemoryLayout<ObjectStorage>.size)
    #expect(instanceSize(PlainBrick.self) == bare)
    // A declaration stores its optional name.
    #expect(instanceSize(DeclaredBrick.self) == bare + 2 * MemoryLayout<String?>.size)
  }

  /// The word of Swift's class metadata with the instance size.
  private func instanceSize(_ type: AnyClass) -> Int {
    let metadata = unsafeBitCast(type, to: UnsafePointer<UInt32>.self)
    return Int(metadata[Self.instanceSizeWord])
  }

  private static let instanceSizeWord = 6
}
