/// A class's own check of one property; see ``NSManagedObject/propertyValidators``.
public struct PropertyValidator {
  let check: (NSManagedObject, AutoreleasingUnsafeMutablePointer<AnyObject?>) throws -> Void

  /// Makes the check of a method that is spelled as Core Data's `validateNAME:error:`.
  ///
  /// - Parameter method: for instance `Person.validateAge`. The value it is given may be replaced by a
  ///   better one.
  public init<Object: NSManagedObject>(
    _ method: @escaping (Object) -> (AutoreleasingUnsafeMutablePointer<AnyObject?>) throws -> Void
  ) {
    check = { object, value in
      guard let object = object as? Object else { return }
      try method(object)(value)
    }
  }
}
