/// A class's own validator of one property; see ``NSManagedObject/propertyValidators``.
public struct PropertyValidator {
  let check: (NSManagedObject, AutoreleasingUnsafeMutablePointer<AnyObject?>) throws -> Void

  /// Creates a validator from a method that is declared like Core Data's `validateNAME:error:`.
  ///
  /// - Parameter method: for instance `Person.validateAge`. The method may replace the value it is given.
  public init<Object: NSManagedObject>(
    _ method: @escaping (Object) -> (AutoreleasingUnsafeMutablePointer<AnyObject?>) throws -> Void
  ) {
    check = { object, value in
      guard let object = object as? Object else { return }
      try method(object)(value)
    }
  }
}
