import CoreData

@objc(Department)
class Department: NSManagedObject {
  @NSManaged var name: String
  @NSManaged var employees: Set<Employee>?
}

extension Department {
  @objc(addEmployeesObject:)
  @NSManaged func addToEmployees(_ value: Employee)

  @objc(removeEmployeesObject:)
  @NSManaged func removeFromEmployees(_ value: Employee)

  @objc(addEmployees:)
  @NSManaged func addToEmployees(_ values: NSSet)

  /// The mean age, computed from the objects.
  var meanAge: Double {
    (value(forKeyPath: "employees.@avg.age") as? NSNumber)?.doubleValue ?? 0
  }

  /// Returns each department's mean age, computed by the store.
  static func ages(in context: NSManagedObjectContext) throws -> [String: Double] {
    let mean = NSExpressionDescription()
    mean.name = "mean"
    mean.expression = NSExpression(
      forFunction: "average:", arguments: [NSExpression(forKeyPath: "age")])
    mean.expressionResultType = .doubleAttributeType
    let request = NSFetchRequest<NSDictionary>(entityName: "Employee")
    request.resultType = .dictionaryResultType
    request.propertiesToGroupBy = ["department.name"]
    request.propertiesToFetch = ["department.name", mean]
    var ages: [String: Double] = [:]
    for row in try context.fetch(request) {
      guard let name = row["department.name"] as? String else { continue }
      ages[name] = row["mean"] as? Double
    }
    return ages
  }
}
