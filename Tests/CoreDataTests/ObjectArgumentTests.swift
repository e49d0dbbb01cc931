import CoreData
import Foundation
import Testing

@Suite struct ObjectArgumentTests {
  private enum Failure: Error { case full }
  private struct Place { let city: String }

  @Test func `errors are arguments of formats`() throws {
    let error: any Error = Failure.full
    let argument = try #require(objectArgument(error) as? NSError)
    #expect(argument.domain == (error as NSError).domain)
    let known: any Error = NSError(domain: "Disk", code: 28)
    #expect(objectArgument(known) as? NSError === known as NSError)
    #expect(String(format: "%@", objectArgument(known)).contains("Disk"))
    let predicate = NSPredicate(format: "%@ == failure", objectArgument(known))
    #expect(predicate.evaluate(with: ["failure": known as NSError]))
  }

  @Test func `values of other types are arguments, too`() {
    #expect(objectArgument(3) as? Int == 3)
    #expect(objectArgument(Decimal(2)) as? Decimal == 2)
    #expect(objectArgument(Place(city: "Paris")) as? String == #"Place(city: "Paris")"#)
  }
}
