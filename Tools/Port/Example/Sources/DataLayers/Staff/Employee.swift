import CoreData

@objc(Employee)
final class Employee: NSManagedObject {
  @NSManaged var age: Int16
  @NSManaged private(set) var badge: UUID
  @NSManaged private(set) var changed: Date?
  @NSManaged var givenName: String
  @NSManaged var department: Department?
  @NSManaged var manager: Employee?
  @NSManaged var reports: NSOrderedSet?

  @NSManaged private var primitiveSurname: String?
  @NSManaged private var primitiveInitials: String?
  @NSManaged private var primitiveChanged: Date?

  enum Rank: Int16 {
    case trainee, engineer, head
  }

  /// An enumeration, stored as a number.
  var rank: Rank {
    get {
      willAccessValue(forKey: "rank")
      defer { didAccessValue(forKey: "rank") }
      let number = primitiveValue(forKey: "rank") as? NSNumber
      return Rank(rawValue: number?.int16Value ?? 0) ?? .trainee
    }
    set {
      willChangeValue(forKey: "rank")
      defer { didChangeValue(forKey: "rank") }
      setPrimitiveValue(NSNumber(value: newValue.rawValue), forKey: "rank")
    }
  }

  /// The surname, from which the initials are derived.
  @objc dynamic var surname: String? {
    get {
      willAccessValue(forKey: "surname")
      defer { didAccessValue(forKey: "surname") }
      return primitiveSurname
    }
    set {
      willChangeValue(forKey: "surname")
      primitiveSurname = newValue
      didChangeValue(forKey: "surname")
      primitiveInitials = nil
    }
  }

  /// A transient property, computed on first access.
  @objc var initials: String? {
    willAccessValue(forKey: "initials")
    var initials = primitiveInitials
    didAccessValue(forKey: "initials")
    if initials == nil {
      initials = [givenName, surname ?? ""].map { String($0.prefix(1)) }.joined()
      primitiveInitials = initials
    }
    return initials
  }

  @objc var fullName: String {
    [givenName, surname].compactMap { $0 }.joined(separator: " ")
  }

  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    switch key {
    case #keyPath(Employee.fullName):
      return [#keyPath(Employee.givenName), #keyPath(Employee.surname)]
    default:
      return super.keyPathsForValuesAffectingValue(forKey: key)
    }
  }

  // MARK: Its life

  override func awakeFromInsert() {
    super.awakeFromInsert()
    badge = UUID()
  }

  override func willSave() {
    super.willSave()
    if !isDeleted, changedValues().keys.contains("givenName") {
      primitiveChanged = Date(timeIntervalSinceReferenceDate: 1)
    }
  }

  override func prepareForDeletion() {
    super.prepareForDeletion()
    for case let report as Employee in reports ?? [] { report.manager = manager }
  }

  // MARK: Validation

  static let errorDomain = "Staff"

  @objc func validateAge(
    _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>
  ) throws {
    guard let age = value.pointee as? NSNumber, age.intValue < 16 else { return }
    throw NSError(
      domain: Self.errorDomain, code: 1,
      userInfo: [NSLocalizedDescriptionKey: "Employees are 16 at least."])
  }

  override func validateForInsert() throws {
    try super.validateForInsert()
    try validateConsistency()
  }

  override func validateForUpdate() throws {
    try super.validateForUpdate()
    try validateConsistency()
  }

  private func validateConsistency() throws {
    guard let manager, manager.department != department else { return }
    throw NSError(
      domain: Self.errorDomain, code: 2,
      userInfo: [
        NSLocalizedDescriptionKey: "\(fullName) and \(manager.fullName) are of two departments.",
        NSValidationObjectErrorKey: self,
      ])
  }
}

// MARK: Generated accessors for reports
extension Employee {
  @objc(insertObject:inReportsAtIndex:)
  @NSManaged func insertIntoReports(_ value: Employee, at idx: Int)

  @objc(removeObjectFromReportsAtIndex:)
  @NSManaged func removeFromReports(at idx: Int)

  @objc(addReportsObject:)
  @NSManaged func addToReports(_ value: Employee)

  @objc(removeReportsObject:)
  @NSManaged func removeFromReports(_ value: Employee)

  @objc(addReports:)
  @NSManaged func addToReports(_ values: NSOrderedSet)
}

extension Employee {
  @nonobjc class func fetchRequest() -> NSFetchRequest<Employee> {
    return NSFetchRequest<Employee>(entityName: "Employee")
  }

  static func find(
    named name: String, in context: NSManagedObjectContext
  ) throws -> Employee? {
    let request: NSFetchRequest<Employee> = fetchRequest()
    request.predicate = NSPredicate(format: "%K ==[cd] %@", #keyPath(givenName), name)
    return try context.fetch(request).first
  }
}
