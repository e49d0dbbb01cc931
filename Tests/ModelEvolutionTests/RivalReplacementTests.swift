import DataModels
import Foundation
import ModelEvolution
import ModelSource
import Testing

/// Merges of renames as performed in editors: an element with one name is removed, and one with another name is
/// added.
@Suite struct RivalReplacementTests {
  private func model(_ entities: String) throws -> NSManagedObjectModel {
    try SourceModel(data: Data("<model>\(entities)</model>".utf8)).model
  }

  private func pet(_ properties: String, name: String = "Pet") -> String {
    "<entity name=\"\(name)\" representedClassName=\"\(name)\">\(properties)</entity>"
  }

  private func text(_ name: String, _ type: String = "String") -> String {
    "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\"/>"
  }

  private func conflicts(
    _ base: String, _ ours: String, _ theirs: String
  ) throws -> [MergeConflict] {
    let (base, ours, theirs) = (try model(base), try model(ours), try model(theirs))
    let merge = try ModelMerge(base: base, ours: ours, theirs: theirs)
    let swapped = try ModelMerge(base: base, ours: theirs, theirs: ours)
    #expect(merge.conflicts.count == swapped.conflicts.count)
    return merge.conflicts
  }

  @Test func aPropertyThatBothCalledOtherwiseIsContested() throws {
    let found = try conflicts(
      pet(text("kind") + text("age")), pet(text("sort") + text("age")),
      pet(text("species") + text("age")))
    #expect(found.map(\.kind) == [.renamedDifferently])
    #expect(
      found.first?.description
        == "Pet.sort: both removed kind, and ours added sort, theirs species, which are the same except for"
        + " the name: one of them is enough if it was renamed (the merged model has both)")
  }

  @Test func anEntityThatBothCalledOtherwiseIsContested() throws {
    let inside = text("kind") + text("age", "Integer 16")
    let found = try conflicts(
      pet(inside), pet(inside, name: "Animal"), pet(inside, name: "Creature"))
    #expect(found.map(\.kind) == [.renamedDifferently])
    #expect(found.first?.path == .entity("Animal"))
  }

  /// One side called an entity otherwise, to which another's relationship refers, and the other side changed it.
  @Test func relationshipsOfAnEntityCalledOtherwiseAreContestedOnce() throws {
    func owner(_ pet: String) -> String {
      "<entity name=\"Owner\"><relationship name=\"pets\" optional=\"YES\" toMany=\"YES\" "
        + "destinationEntity=\"\(pet)\" inverseName=\"owners\" inverseEntity=\"\(pet)\"/></entity>"
    }
    func owners(_ isOptional: Bool = true) -> String {
      "<relationship name=\"owners\" \(isOptional ? "optional=\"YES\" " : "")toMany=\"YES\" "
        + "destinationEntity=\"Owner\" inverseName=\"pets\" inverseEntity=\"Owner\"/>"
    }
    let renamed = owner("Animal") + pet(owners() + text("age"), name: "Animal")
    for changed in [pet(owners(false) + text("age")), pet(owners() + text("age") + text("kind"))] {
      let base = try model(owner("Pet") + pet(owners() + text("age")))
      let sides = (try model(owner("Pet") + changed), try model(renamed))
      let found = try [sides, (sides.1, sides.0)].map {
        try ModelMerge(base: base, ours: $0.0, theirs: $0.1)
      }
      #expect(
        found[0].conflicts.map(\.kind.rawValue).sorted()
          == found[1].conflicts.map(\.kind.rawValue).sorted(),
        "\(found.map { $0.conflicts.map(\.description) })")
      for merge in found {
        #expect(merge.conflicts.contains { $0.kind == .inverseNotMutual })
        #expect(merge.model.findings().allSatisfy { $0.severity != .error })
      }
    }
  }

  @Test func whatIsOtherwiseIsNoReplacement() throws {
    let base = pet(text("kind"))
    for (ours, theirs) in [
      // By one side only, with another type, the same by both, in another entity.
      (pet(text("sort")), pet(text("kind") + text("species"))),
      (pet(text("sort")), pet(text("species", "Integer 16"))),
      (pet(text("sort")), pet(text("sort"))), (pet(text("sort")), pet("")),
      (pet(text("sort")), pet("") + pet(text("species"), name: "Other")),
    ] {
      #expect(try conflicts(base, ours, theirs) == [], "\(ours), \(theirs)")
    }
  }
}
