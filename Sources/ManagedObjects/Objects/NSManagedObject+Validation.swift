import DataModels
import Foundation

/// Validation of objects before a save.
///
/// Subclasses add rules by overriding one of the three methods and calling `super`.
extension NSManagedObject {
  /// All validation errors of the object's values.
  final func validationErrors() -> [any Error] {
    guard !layout.validated.isEmpty || !layout.limited.isEmpty else { return [] }
    var errors: [any Error] = []
    for property in layout.validated {
      let value = currentValue(at: property.slot)
      if value.isNull {
        if !property.isOptional { errors.append(missing(property)) }
        continue
      }
      errors += predicateErrors(property) { self.value(of: property) }
    }
    for property in layout.limited {
      if let error = countError(property) { errors.append(error) }
    }
    return errors
  }

  /// The errors of each property's own validator, for a class that has such validators.
  final func validationErrorsByValue() -> [any Error] {
    layout.propertiesByName.values.sorted { $0.name < $1.name }.compactMap { property in
      if case .fetched = property.kind { return nil }
      let before = value(of: property) as AnyObject?
      var value = before
      do {
        try validateValue(&value, forKey: property.name)
      } catch {
        return error
      }
      if value !== before { setValue(value, forKey: property.name) }
      return nil
    }
  }

  /// The validation errors of a value for a property.
  final func errors(of value: Any?, for property: PropertyLayout) -> [any Error] {
    let value = AttributeCodec.unwrapped(value)
    switch property.kind {
    case .fetched: return []
    case .toMany:
      let count = Self.objects(in: value)?.count ?? 0
      return countError(property, count: count).map { [$0] } ?? []
    case .attribute, .toOne:
      guard let value else {
        return property.isOptional ? [] : [missing(property)]
      }
      return predicateErrors(property) { value }
    }
  }

  private final func missing(_ property: PropertyLayout) -> NSError {
    CoreDataError.validation(
      NSValidationMissingMandatoryPropertyError, "\(property.name) is a required value.",
      object: self, key: property.name)
  }

  private final func predicateErrors(
    _ property: PropertyLayout, value: () -> Any?
  ) -> [any Error] {
    let predicates = property.description.validationPredicates
    guard !predicates.isEmpty else { return [] }
    let warnings = property.description.validationWarnings
    let value = value()
    return predicates.enumerated().compactMap { index, predicate in
      guard !predicate.evaluate(with: value) else { return nil }
      let warning = warnings.indices.contains(index) ? warnings[index] : nil
      let code = (warning as? NSNumber)?.intValue ?? (warning as? Int)
      return CoreDataError.validation(
        code ?? NSManagedObjectValidationError,
        ValidationText.text(code: code, key: property.name) ?? warning as? String
          ?? "\(property.name) is not valid.",
        object: self, key: property.name, value: value, predicate: predicate)
    }
  }

  private final func countError(_ property: PropertyLayout) -> NSError? {
    guard let relationship = property.description as? NSRelationshipDescription else { return nil }
    let members = membersBySlot.isEmpty ? nil : membersBySlot[property.slot]
    // Unchanged members were valid when they were saved.
    guard state.contains(.inserted) || members?.hasChanges == true else { return nil }
    guard relationship.minCount > 0 || relationship.maxCount > 0 else { return nil }
    return countError(property, count: loadedMembers(property).objects.count)
  }

  private final func countError(_ property: PropertyLayout, count: Int) -> NSError? {
    guard let relationship = property.description as? NSRelationshipDescription else { return nil }
    // Only the count matters: without a minimum count, a relationship that isn't optional may be empty too.
    let limits = (least: relationship.minCount, most: relationship.maxCount)
    guard limits.least > 0 || limits.most > 0 else { return nil }
    if count == 0, property.isOptional { return nil }
    if count < limits.least {
      return CoreDataError.validation(
        NSValidationRelationshipLacksMinimumCountError,
        "Too few items are in \(property.name).", object: self, key: property.name,
        value: value(of: property))
    }
    if limits.most > 0, count > limits.most {
      return CoreDataError.validation(
        NSValidationRelationshipExceedsMaximumCountError,
        "Too many items are in \(property.name).", object: self, key: property.name,
        value: value(of: property))
    }
    return nil
  }

  /// Whether the object has a row or will have one: it isn't deleted, and its insertion wasn't cancelled.
  private final var staysInStore: Bool {
    guard !awaitsDeletion, let context else { return false }
    if state.contains(.inserted) { return true }
    guard !context.isUnused(identity) else { return false }
    if !isTemporary || identity.successor != nil { return true }
    // A child's object may be an insertion of its parent.
    return context.parent.map { ReferenceCheck.awaits(identity, in: $0) } == true
  }

  /// The errors of relationships whose deny rule forbids deleting the object.
  final func denialErrors() -> [any Error] {
    (layout.values + layout.toManys).compactMap { property in
      guard property.isRelationship, property.deleteRule == .denyDeleteRule else { return nil }
      let targets =
        property.isToMany ? loadedMembers(property).objects : toOne(property).map { [$0] } ?? []
      guard targets.contains(where: \.staysInStore) else { return nil }
      return CoreDataError.validation(
        NSValidationRelationshipDeniedDeleteError,
        "Items cannot be deleted because of \(property.name).", object: self, key: property.name,
        value: value(of: property))
    }
  }
}

/// The texts of validation errors.
enum ValidationText {
  static func text(code: Int?, key: String) -> String? {
    switch code {
    case NSValidationNumberTooLargeError: "\(key) is too large."
    case NSValidationNumberTooSmallError: "\(key) is too small."
    case NSValidationDateTooLateError: "\(key) is too late."
    case NSValidationDateTooSoonError: "\(key) is too soon."
    case NSValidationInvalidDateError: "\(key) is an invalid date."
    case NSValidationStringTooLongError: "\(key) is too long."
    case NSValidationStringTooShortError: "\(key) is too short."
    case NSValidationStringPatternMatchingError: "\(key) does not match its pattern."
    case NSManagedObjectValidationError: "\(key) is not valid."
    default: nil
    }
  }
}
