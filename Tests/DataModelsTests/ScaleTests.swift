import Foundation
import TestSupport
import Testing

@testable import DataModels

/// Sizes, deep graphs, and proportional time.
@Suite(.serialized) struct ScaleTests {
  /// The size of an instance, without the strings it refers to.
  @Test func descriptionsAreSmall() {
    #expect(Self.instanceSize(NSAttributeDescription.self) <= 96)
    #expect(Self.instanceSize(NSRelationshipDescription.self) <= 112)
    #expect(Self.instanceSize(NSEntityDescription.self) <= 240)
    #expect(attribute("a").extras == nil)
    let plain = attribute("plain", .integer32, optional: false)
    plain.defaultValue = 3
    plain.isIndexed = true
    plain.renamingIdentifier = "plain"
    #expect(plain.extras == nil)
  }

  /// The instance size in Swift's class metadata.
  private static func instanceSize(_ type: AnyClass) -> Int {
    class_getInstanceSize(type)
  }

  @Test func aChainThroughDestinationsIsReleasedWithoutRecursion() {
    let links = (0..<100_000).map { entity("E\($0)", [relationship("next", max: 1)]) }
    for (from, to) in zip(links, links.dropFirst()) {
      (from.ownPropertyList[0] as? NSRelationshipDescription)?.destinationEntity = to
    }
    weak let last = links.last
    var chain: NSManagedObjectModel? = model(links)
    #expect(chain?.entities.count == 100_000 && last != nil)
    chain = nil
    _ = links.count
  }

  @Test(arguments: [false, true])
  func aChainThroughSubentitiesIsReleasedWithoutRecursion(reversed: Bool) {
    let count = 30_000
    weak var last: NSEntityDescription?
    do {
      let chain = (0..<count).map { _ in entity("E") }
      for (above, below) in zip(chain, chain.dropFirst()) { above.subentities = [below] }
      last = chain.last
      let holder = model(reversed ? chain.reversed() : chain)
      #expect(holder.findings().count == count - 1)
      #expect(last?.ancestry.count == count)
      let copy = holder.deepCopy()
      #expect(copy.entities.count == count)
    }
    #expect(last == nil)
  }

  @Test func nestedCompositesAreHandledWithoutRecursion() {
    var composite = NSCompositeAttributeDescription()
    composite.name = "inner"
    composite.elements = [attribute("x")]
    for _ in 0..<30_000 {
      let outer = NSCompositeAttributeDescription()
      outer.name = "c"
      outer.storedElements = [composite]
      composite = outer
    }
    let holder = model([entity("E", [composite])])
    #expect(holder.findings().isEmpty)
    #expect(holder.deepCopy() == holder)
    #expect(holder.versionChecksum.count == 44)
    holder.freeze()
  }

  /// Cycles of strong references, which only a decoder could create, don't cause infinite loops; they are leaked.
  @Test func compositesInThemselvesEnd() {
    let composite = NSCompositeAttributeDescription()
    composite.name = "c"
    composite.storedElements = [composite, attribute("x"), composite]
    let holder = model([entity("E", [composite])])
    #expect(holder.deepCopy() == holder)
    #expect(holder.findings().count == 3)
    #expect(holder.versionChecksum.count == 44)
    holder.freeze()
    #expect(!holder.isEditable)
  }

  /// Building, looking up, copying, comparing, hashing and checking 2,000 entities with 16 properties takes at most a
  /// fixed multiple of the time for 200.
  @Test func costsGrowInProportion() throws {
    func seconds(_ count: Int) -> Double {
      let clock = ContinuousClock()
      let time = clock.measure {
        let holder = Self.sample(count)
        let copy = holder.deepCopy()
        _ = copy == holder
        holder.freeze()
        _ = holder.versionChecksum
        _ = holder.findings()
        for entity in holder.entities { _ = entity.propertiesByName["p3"] }
      }
      return Double(time.components.attoseconds) / 1e18 + Double(time.components.seconds)
    }
    _ = seconds(100)
    let small = (0..<3).map { _ in seconds(200) }.min() ?? 0
    let large = seconds(2000)
    // Ten times as many entities; quadratic work would take a hundred times as long.
    #expect(large < 35 * small, "\(small) s, then \(large) s")
  }

  private static func sample(_ count: Int) -> NSManagedObjectModel {
    var all: [NSEntityDescription] = []
    for place in 0..<count {
      var properties: [NSPropertyDescription] = (0..<13).map { attribute("p\($0)", .integer32) }
      properties += (0..<3).map { relationship("r\($0)", max: $0 == 0 ? 1 : 0) }
      all.append(entity("Entity\(place)", properties))
    }
    for (place, from) in all.enumerated() {
      let to = all[(place + 1) % count]
      for relationship in from.ownPropertyList.suffix(3) {
        (relationship as? NSRelationshipDescription)?.destinationEntity = to
      }
    }
    return model(all)
  }
}

/// Returns the size of a class's instances, from the word in Swift's class metadata five words after the address
/// point.
private func class_getInstanceSize(_ type: AnyClass) -> Int {
  let metadata = unsafeBitCast(type, to: UnsafePointer<UInt32>.self)
  return Int(metadata[6])
}
