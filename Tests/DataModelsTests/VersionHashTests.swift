import Foundation
import TestSupport
import Testing

@testable import DataModels

@Suite struct VersionHashTests {
  /// A model that uses everything that hashes depend on; version_hash.py computed the expected values.
  private static func sample() -> NSManagedObjectModel {
    let skipped = attribute("skipped")
    skipped.isTransient = true
    let peer = relationship("peer", max: 1)
    let base = entity("Base", [attribute("id", .uuid), skipped, peer])
    peer.destinationEntity = base
    peer.inverseRelationship = peer
    base.isAbstract = true
    base.versionHashModifier = "m1"
    base.uniquenessConstraints = [["id"], ["Zeta", "alpha"], ["_x"]]

    let data = attribute("data", .binaryData, optional: false)
    data.allowsExternalBinaryDataStorage = true
    data.preservesValueInHistoryOnDeletion = true
    data.versionHashModifier = "é"
    let many = relationship("many", max: -1, min: 2)
    many.isOrdered = true
    let kid = entity(
      "Kid",
      [
        data, attribute("größe", .integer64), attribute("Z", .string, optional: false),
        attribute("_a", .double, optional: false), many,
      ])
    base.subentities = [kid]

    let inner = NSCompositeAttributeDescription()
    inner.name = "inner"
    let gone = attribute("gone")
    gone.isTransient = true
    inner.elements = [attribute("a"), gone]
    let composite = NSCompositeAttributeDescription()
    composite.name = "comp"
    composite.elements = [
      attribute("y", .double), inner, attribute("b", .integer32, optional: false),
    ]
    let derived = NSDerivedAttributeDescription()
    derived.name = "derived"
    let fetched = NSFetchedPropertyDescription()
    fetched.name = "fetched"
    let back = relationship("back", to: kid, max: 1, min: 1)
    let loose = relationship("loose", to: base, max: 20, min: 1)
    back.isOptional = false
    loose.isOptional = false
    let other = entity("Other", [back, loose, composite, derived, fetched])
    many.destinationEntity = other
    link(many, back)
    return model([base, kid, other, entity("Über")])
  }

  @Test func entitiesHashAsCoreDataDoes() {
    let hashes = Self.sample().entityVersionHashesByName.mapValues(\.hex)
    #expect(
      hashes == [
        "Base": "291ffeae516fb85b7b271e53b54fe5fa528d26e8e9cef9c4c1db38261b2e25ed",
        "Kid": "c4a6ef48fc7851e8a1d33530f1d991dbee565e1ae0d078e8b52649274cfdc941",
        "Other": "5c0fbe10440d37a086d0fe065ae8e87fc36e87d754b842d0c3f715ff640af1bc",
        "Über": "80077bb8aa056d619dcefcf3e90481f679ddd2c6fc75cb41e1acc4c60beda388",
      ])
  }

  @Test func modelsSumUpTheirHashes() {
    let model = Self.sample()
    #expect(model.versionChecksum == "uvxsbR6RhyuxFJ1329t5FN9vhcRZJx4lOU9XXZWdCG8=")
    #expect(
      model.versionHashesDigest
        == "n7lICkLOwvYfrEicfpZ55mLfEglp9FboXmUX7p5GxjqQMLNrVx63v7bDUiAPo5vErQVW8habD7vTuG4AGGET7g=="
    )
    #expect(
      NSManagedObjectModel().versionChecksum == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
  }

  @Test func propertiesHashAloneAsInTheirEntity() throws {
    let entities = Self.sample().entitiesByName
    let kid = try #require(entities["Kid"])
    #expect(
      kid.propertiesByName["data"]?.versionHash.hex
        == "bf70507667f5de46d8dd6681a56f3f14ddb3a4938a868fa5abed894bb265ef60")
    #expect(
      kid.propertiesByName["many"]?.versionHash.hex
        == "0107f87794a5056b249fc00df968f847bf1d2adf1ab2f4318cf9c1d8f2f05d45")
    #expect(
      kid.propertiesByName["peer"]?.versionHash.hex
        == "f4b1d927584c927d488dcb5f9bce27ecf5229f2c8155762bef469ec9f207c3da")
  }

  /// Settings that don't affect the hash.
  @Test func someSettingsAreNotHashed() throws {
    let model = Self.sample()
    let before = model.versionChecksum
    let kid = try #require(model.entitiesByName["Kid"])
    let data = try #require(kid.attributesByName["data"])
    kid.managedObjectClassName = "Child"
    kid.renamingIdentifier = "Junior"
    kid.userInfo = ["a": 1]
    kid.indexes = [
      NSFetchIndexDescription(
        name: "i",
        elements: [NSFetchIndexElementDescription(property: data, collationType: .binary)])
    ]
    data.renamingIdentifier = "bytes"
    data.defaultValue = Data([1])
    data.userInfo = ["a": 1]
    data.isIndexed = true
    data.isIndexedBySpotlight = true
    data.allowsCloudEncryption = true
    data.valueTransformerName = "T"
    data.attributeValueClassName = "C"
    kid.relationshipsByName["many"]?.deleteRule = .cascadeDeleteRule
    model.versionIdentifiers = ["2"]
    #expect(model.versionChecksum == before)
    data.isOptional = true
    #expect(model.versionChecksum != before)
  }

  /// Which stores are compatible with a model with entities A and B and a configuration with A.
  @Test func fitsStoresByTheirHashes() {
    let sample = model([entity("A", [attribute("x")]), entity("B")])
    sample.setEntities([sample.entities[0]], forConfigurationName: "C")
    let hashes = sample.entityVersionHashesByName
    func fits(_ configuration: String?, _ recorded: [String: Data]?, version: Int = 3) -> Bool {
      var metadata: [String: Any] = ["NSStoreModelVersionHashesVersion": version]
      metadata["NSStoreModelVersionHashes"] = recorded
      return sample.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata)
    }
    let onlyA = hashes.filter { $0.key == "A" }
    let otherA = hashes.merging(["A": Data(count: 32)]) { $1 }
    let more = hashes.merging(["Z": Data(count: 32)]) { $1 }
    #expect(fits(nil, hashes) && fits("PF_DEFAULT_CONFIGURATION_NAME", hashes))
    #expect(fits("C", hashes) && fits("C", onlyA))
    #expect(!fits(nil, onlyA) && !fits(nil, otherA) && !fits(nil, more) && !fits(nil, nil))
    #expect(!fits("C", otherA) && !fits("C", more) && !fits("D", hashes) && !fits("C", [:]))
    #expect(fits(nil, otherA, version: 2) && !fits(nil, hashes, version: 4))
  }

  @Test func aFrozenModelKeepsItsHashes() throws {
    let model = Self.sample()
    let before = model.entityVersionHashesByName
    model.freeze()
    for _ in 0..<2 {
      #expect(model.entitiesByName.mapValues(\.versionHash) == before)
    }
  }

  @Test func aChainOfManyEntitiesIsHashedWithoutRecursion() throws {
    let chain = (0..<100_000).map { _ in entity("Link") }
    for (above, below) in zip(chain, chain.dropFirst()) { above.subentities = [below] }
    chain[0].properties = [attribute("id")]
    #expect(try #require(chain.last).versionHash.count == 32)
  }

  @Test func aTooDeepHierarchyIsRefused() throws {
    let chain = (0..<100).map { entity("E\($0)", [attribute("a\($0)")]) }
    for (above, below) in zip(chain, chain.dropFirst()) { above.subentities = [below] }
    var patient = EntityHasher(workLimit: 4950)
    #expect(throws: Never.self) { try patient.digest(of: chain[99]) }
    var hasher = EntityHasher(workLimit: 4949)
    let error = #expect(throws: ModelError.self) { try hasher.digest(of: chain[99]) }
    #expect(error?.code == .hierarchyTooLarge)
  }

  /// A relationship that is its own inverse, by reference and by name only.
  @Test func ownInversesLeaveTheirNameOut() {
    func sample(_ change: (NSRelationshipDescription) -> Void) -> Data {
      let peer = relationship("peer", max: 1)
      let (base, kid) = (entity("Base", [peer]), entity("Kid"))
      base.subentities = [kid]
      let holder = model([base, kid])
      peer.destinationEntity = kid
      change(peer)
      return holder.entitiesByName["Base"]?.versionHash ?? Data()
    }
    let without = sample { $0.inverseRelationship = nil }
    #expect(sample { $0.inverseRelationship = $0 } == without)
    #expect(sample { $0.inverseRelationshipName = "peer" } == without)
    #expect(sample { $0.inverseRelationshipName = "other" } != without)
  }

  @Test func aCircleIsRefused() throws {
    let one = entity("One")
    let two = entity("Two")
    one.setSubentitiesUnchecked([two])
    two.setSubentitiesUnchecked([one])
    let circle = model([one, two])
    let error = #expect(throws: ModelError.self) { try circle.versionHashes() }
    #expect(error?.code == .hierarchyCycle)
    #expect(one.versionHash == Data())
    #expect(circle.entityVersionHashesByName == [:])
    #expect(one.properties.isEmpty && one.ancestry.count == 2)
    two.setSubentitiesUnchecked([])
  }

  @Test(.enabled(if: GoldenModel.isPresent, Corpus.absence))
  func goldenVectorsAgree() throws {
    let golden = try GoldenModel.all()
    #expect(golden.flatMap(\.entities).count >= 32)
    for vector in golden {
      let model = try vector.model()
      #expect(model.entityVersionHashesByName.mapValues(\.hex) == vector.hashes, "\(vector.source)")
      if let checksum = vector.checksum { #expect(model.versionChecksum == checksum) }
      if let digest = vector.digest { #expect(model.versionHashesDigest == digest) }
    }
  }

  @Test(arguments: [
    ("a", "b", true), ("Z", "_", true), ("_", "a", true), ("a", "Z", false), ("a", "a", false),
    ("a", "ab", true), ("ab", "a", false), ("item10", "item2", true),
    ("\u{FFFD}", "\u{1F600}", false), ("\u{E9}", "\u{FFFD}", true), ("", "a", true),
  ])
  func namesAreOrderedByCodeUnits(left: String, right: String, precedes: Bool) {
    #expect(NameOrder.precedes(left, right) == precedes)
    #expect(Array(left.utf16).lexicographicallyPrecedes(Array(right.utf16)) == precedes)
  }
}
