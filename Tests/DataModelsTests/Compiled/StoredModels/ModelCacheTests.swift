import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

/// The copies of models in stores.
@Suite struct ModelCacheTests {
  private func attribute(
    _ name: String, _ type: NSAttributeType, isOptional: Bool = true
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = isOptional
    return attribute
  }

  /// Vehicle > Car > Taxi; `owner` refers to a person, whose `vehicles` refer back.
  private func vehicles() -> NSManagedObjectModel {
    let (vehicle, car, taxi) = (
      NSEntityDescription(), NSEntityDescription(), NSEntityDescription()
    )
    let person = NSEntityDescription()
    (vehicle.name, car.name, taxi.name, person.name) = ("Vehicle", "Car", "Taxi", "Person")
    let (owner, vehicles) = (NSRelationshipDescription(), NSRelationshipDescription())
    owner.name = "owner"
    owner.destinationEntity = person
    owner.maxCount = 1
    vehicles.name = "vehicles"
    vehicles.destinationEntity = vehicle
    link(owner, vehicles)
    let wheels = attribute("wheels", .integer16AttributeType)
    wheels.setValidationPredicates(
      [NSPredicate(format: "SELF > 0")], withValidationWarnings: ["Too few wheels"])
    vehicle.properties = [wheels, attribute("plate", .stringAttributeType), owner]
    car.properties = [attribute("doors", .integer16AttributeType)]
    taxi.properties = [attribute("number", .integer32AttributeType)]
    person.properties = [attribute("name", .stringAttributeType), vehicles]
    vehicle.subentities = [car]
    car.subentities = [taxi]
    return NSManagedObjectModel(of: [vehicle, car, taxi, person])
  }

  @Test func subentitiesListWhatTheyInherit() throws {
    let archive = try KeyedArchive(ModelCache.encode(vehicles()))
    let listed = try Self.listing(ModelCache.encode(vehicles())).mapValues(\.count)
    #expect(listed == ["Vehicle": 3, "Car": 4, "Taxi": 5, "Person": 2])
    let classes = Set(
      (0..<archive.count).compactMap { archive.archivedClass(ofObject: $0)?.name })
    #expect(classes.isSuperset(of: ["NSKnownKeysDictionary1", "NSKnownKeysMappingStrategy1"]))
  }

  @Test func copiesAreReadAsTheModel() throws {
    let model = vehicles()
    let again = try ModelArchive.decode(ModelCache.encode(model))
    #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
    let taxi = try #require(again.entitiesByName["Taxi"])
    #expect(taxi.ownProperties.map(\.name) == ["number"])
    #expect(taxi.propertiesByName["wheels"]?.validationPredicates.count == 1)
    #expect(
      again.entitiesByName["Person"]?.relationshipsByName["vehicles"]?.inverseRelationship?.entity
        === again.entitiesByName["Vehicle"])
    // A compiled model is written without the copies.
    #expect(try ModelArchive.encode(again) == ModelArchive.encode(model))
  }

  /// However a model is loaded, its copy in a store lists the indexes of every entity.
  @Test func loadedModelsListAllIndexes() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.mom")
    let bytes = try ModelArchive.encode(vehicles())
    try Data(bytes).write(to: url)
    let expected = try ModelCache.encode(ModelArchive.decode(bytes))
    let loaded = try #require(NSManagedObjectModel(contentsOf: url))
    #expect(try ModelCache.encode(loaded) == expected)
    #expect(try ModelCache.encode(NSManagedObjectModel(loading: url.path)) == expected)
  }

  @Test func aPropertyThatHidesAnInheritedOneStays() throws {
    let model = vehicles()
    let taxi = try #require(model.entitiesByName["Taxi"])
    taxi.properties += [attribute("plate", .stringAttributeType, isOptional: false)]
    let again = try ModelArchive.decode(ModelCache.encode(model))
    #expect(again.entityVersionHashesByName == model.entityVersionHashesByName)
    let names = again.entitiesByName["Taxi"]?.ownProperties.map(\.name).sorted()
    #expect(names == ["number", "plate"])
  }

  @Test func randomModelsKeepTheirHashes() throws {
    for seed in 0..<80 as Range<UInt64> {
      let model = RandomModel(seed: seed).model()
      let again = try ModelArchive.decode(ModelCache.encode(model))
      #expect(
        again.entityVersionHashesByName == model.entityVersionHashesByName, "seed \(seed)")
      #expect(try ModelCache.encode(again) == ModelCache.encode(model), "seed \(seed)")
    }
  }

  /// Each cache of a real store, read and rewritten.
  ///
  /// The others are from older frameworks (`nil` for an empty dictionary of subentities, names in mutable strings),
  /// or differ in the sharing of equal strings.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence)) func realCachesComeOutAgain() throws {
    var equal: [String] = []
    var all = 0
    for file in Corpus.files(ofKind: "modelcache-mom") {
      let bytes = try FileBytes.read(file.url.path)
      let model = try ModelArchive.decode(bytes)
      let written = try ModelCache.encode(model)
      all += 1
      if written == bytes { equal.append(file.path) }
      // Every property of every entity is in the same position as Core Data's.
      #expect(try Self.listing(written) == Self.listing(bytes), "\(file.path)")
    }
    print("caches: \(equal.count) of \(all) come out byte for byte")
    #expect(equal.count >= 3)
  }

  /// The names of each entity's properties, in the order of its dictionary.
  private static func listing(_ bytes: [UInt8]) throws -> [String: [String]] {
    let archive = try KeyedArchive(bytes)
    func fields(_ number: Int) -> [ArchiveField] {
      guard case .instance(_, let fields) = archive.object(at: number) else { return [] }
      return fields
    }
    func text(_ number: Int) -> String {
      if case .value(.string(let text)) = archive.object(at: number) { return text }
      for field in fields(number) where field.key == "NS.string" {
        switch field.value {
        case .string(let text): return text
        case .reference(let number): return text(number)
        default: break
        }
      }
      return ""
    }
    var listed: [String: [String]] = [:]
    for number in 0..<archive.count {
      guard archive.archivedClass(ofObject: number)?.name == "NSEntityDescription" else { continue }
      var (name, names): (String, [String]) = ("", [])
      for field in fields(number) {
        guard case .reference(let target) = field.value else { continue }
        if field.key == "NSEntityName" { name = text(target) }
        guard field.key == "NSProperties" else { continue }
        for entry in fields(target) where entry.key == "NS.keys" {
          guard case .array(let keys) = entry.value else { continue }
          names = keys.map { if case .reference(let key) = $0 { text(key) } else { "" } }
        }
      }
      listed[name] = names
    }
    return listed
  }
}
