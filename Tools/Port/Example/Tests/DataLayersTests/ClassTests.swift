import CoreData
import XCTest

@testable import DataLayers

/// Hand-written classes: accessors, validation, life cycle methods and observers.
final class ClassTests: XCTestCase {
  private var context: NSManagedObjectContext!

  override func setUp() {
    super.setUp()
    context = PersistenceController(inMemory: true).container.viewContext
  }

  private func employee(_ name: String, age: Int16 = 30, _ department: Department? = nil)
    -> Employee
  {
    let employee = Employee(context: context)
    (employee.givenName, employee.age, employee.department) = (name, age, department)
    return employee
  }

  private func department(_ name: String) -> Department {
    let department =
      NSEntityDescription.insertNewObject(
        forEntityName: "Department", into: context) as! Department
    department.name = name
    return department
  }

  func testAccessorsKeepBothSides() throws {
    let engines = department("Engines")
    let (ada, charles) = (employee("Ada"), employee("Charles", age: 50))
    engines.addToEmployees(ada)
    engines.addToEmployees([charles])
    XCTAssertEqual(charles.department, engines)
    XCTAssertEqual(engines.meanAge, 40)
    engines.removeFromEmployees(charles)
    XCTAssertNil(charles.department)
    charles.department = engines
    charles.addToReports(ada)
    XCTAssertEqual(ada.manager, charles)
    let grace = employee("Grace", engines)
    charles.insertIntoReports(grace, at: 0)
    XCTAssertEqual((charles.reports?.array as? [Employee])?.map(\.givenName), ["Grace", "Ada"])
    charles.removeFromReports(at: 1)
    XCTAssertNil(ada.manager)
    try context.save()
    XCTAssertEqual(try Department.ages(in: context), ["Engines": 110.0 / 3])
    XCTAssertEqual(try Employee.find(named: "ADA", in: context), ada)
  }

  func testMomentsOfLife() throws {
    let ada = employee("Ada")
    let badge = ada.badge
    XCTAssertNil(ada.changed)
    try context.save()
    XCTAssertNotNil(ada.changed)
    ada.rank = .head
    ada.surname = "Byron"
    XCTAssertEqual(ada.initials, "AB")
    // By key, too, its own setter is called.
    ada.setValue("King", forKey: "surname")
    XCTAssertEqual(ada.initials, "AK")
    ada.surname = "Lovelace"
    XCTAssertEqual(ada.initials, "AL")
    XCTAssertEqual(Set(ada.changedValues().keys), ["rank", "surname"])
    try context.save()
    context.refresh(ada, mergeChanges: false)
    XCTAssertTrue(ada.isFault)
    XCTAssertEqual(ada.rank, .head)
    XCTAssertEqual(ada.badge, badge)
    XCTAssertEqual(ada.fullName, "Ada Lovelace")
    let (charles, grace) = (employee("Charles"), employee("Grace"))
    charles.manager = ada
    grace.manager = charles
    try context.save()
    context.delete(charles)
    try context.save()
    XCTAssertEqual(grace.manager, ada)
  }

  func testValidation() throws {
    func code(_ body: () throws -> Void) -> Int? {
      do { try body() } catch { return (error as NSError).code }
      return nil
    }
    let child = employee("Tim", age: 12)
    XCTAssertEqual(code(context.save), 1)
    var value: AnyObject? = NSNumber(value: 15)
    XCTAssertEqual(code { try child.validateValue(&value, forKey: "age") }, 1)
    child.age = 18
    let (engines, compilers) = (department("Engines"), department("Compilers"))
    child.department = engines
    child.manager = employee("Grace", compilers)
    XCTAssertEqual(code(context.save), 2)
    child.manager?.department = engines
    child.givenName = ""
    XCTAssertEqual(code(context.save), NSValidationStringTooShortError)
    child.givenName = "Tim"
    XCTAssertNil(code(context.save))
    context.delete(engines)
    XCTAssertEqual(code(context.save), NSValidationRelationshipDeniedDeleteError)
    context.rollback()
    (child.age, child.givenName) = (3, "")
    XCTAssertEqual(code(context.save), NSValidationMultipleErrorsError)
  }

  func testObservers() throws {
    let ada = employee("Ada")
    let tag = NameTag(ada)
    var names: [String] = []
    let token = ada.observe(\.fullName, options: [.initial, .new]) { ada, _ in
      names.append(ada.fullName)
    }
    ada.givenName = "Augusta"
    ada.surname = "King"
    ada.age = 36
    XCTAssertEqual(tag.text, "Augusta")
    XCTAssertEqual(tag.earlier, ["Ada"])
    XCTAssertEqual(names, ["Ada", "Augusta", "Augusta King"])
    token.invalidate()
  }
}
