import DataModels
import Dispatch
import Foundation
import Testing

@testable import ManagedObjects

@Suite struct ConfinementTests {
  @Test func checksAreOffUnlessAskedFor() throws {
    #expect(!NSManagedObjectContext.checksConfinement)
    let context = try Company.container().newBackgroundContext()
    // Incorrect, but not detected.
    #expect(context.insertedObjects.isEmpty)
    #expect(try context.count(for: NSFetchRequest<PersonMO>(entityName: "Person")) == 0)
  }

  @Test func usingAContextOffItsQueueEndsTheProgram() async throws {
    await #expect(processExitsWith: .failure) {
      NSManagedObjectContext.checksConfinement = true
      let context = try Company.container().newBackgroundContext()
      _ = try context.fetch(NSFetchRequest<PersonMO>(entityName: "Person"))
    }
  }

  @Test func usingAnObjectOffItsQueueEndsTheProgram() async throws {
    await #expect(processExitsWith: .failure) {
      NSManagedObjectContext.checksConfinement = true
      let context = try Company.container().newBackgroundContext()
      let person = context.performAndWait { Sent(insert(PersonMO.self, "Person", context)) }
      _ = person.value.name
    }
  }

  @Test func usingThemOnTheirQueueIsAllRight() async throws {
    await #expect(processExitsWith: .success) {
      NSManagedObjectContext.checksConfinement = true
      let container = try Company.container()
      let context = container.newBackgroundContext()
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      try await child.perform {
        let person = insert(PersonMO.self, "Person", child)
        person.name = "Ada"
        try child.save()
        _ = try child.fetch(NSFetchRequest<PersonMO>(entityName: "Person"))
      }
      try context.performAndWait {
        try context.save()
        #expect(try context.count(for: NSFetchRequest<PersonMO>(entityName: "Person")) == 1)
      }
    }
  }
}
