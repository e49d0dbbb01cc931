import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

/// Archives of models whose composites are nested deeper than anything that reads them accepts.
@Suite struct NestedCompositeTests {
  private func archive(depth: Int) throws -> [UInt8] {
    var composite = NSCompositeAttributeDescription()
    composite.name = "inner"
    composite.elements = [attribute("x")]
    for _ in 1..<depth {
      let outer = NSCompositeAttributeDescription()
      outer.name = "outer"
      outer.elements = [composite]
      composite = outer
    }
    return try ModelArchive.encode(model([entity("E", [composite])]))
  }

  @Test(arguments: [65, 1_000, 100_000]) func areRefused(depth: Int) throws {
    let error = #expect(throws: ArchiveError.self) {
      try ModelArchive.decode(archive(depth: depth))
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test func sixtyFourLevelsAreRead() throws {
    let read = try ModelArchive.decode(archive(depth: 64))
    let composite = read.entities.first?.ownPropertyList.first as? NSCompositeAttributeDescription
    #expect(composite?.hasListableElements == true)
  }
}
