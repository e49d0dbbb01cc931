/// What was made of each object of an archive, by number.
///
/// Keeps nothing: entities are kept by the model that is being made, and properties by their
/// entities. So entering and looking up an object costs no counting of references, which a model
/// of 100,000 properties would feel. Who enters an object sees to it that it is kept as long as the
/// table is used.
final class DecodedInstances {
  private enum Kind: UInt8 {
    case none, entity, relationship, property
  }

  private let count: Int
  private let kinds: UnsafeMutablePointer<Kind>
  private let objects: UnsafeMutablePointer<Unmanaged<AnyObject>?>
  /// The inverse of each relationship, by number; 0 for none.
  private let inverses: UnsafeMutablePointer<UInt32>

  init(count: Int) {
    self.count = count
    kinds = .allocate(capacity: count)
    kinds.initialize(repeating: .none, count: count)
    objects = .allocate(capacity: count)
    objects.initialize(repeating: nil, count: count)
    inverses = .allocate(capacity: count)
    inverses.initialize(repeating: 0, count: count)
  }

  deinit {
    kinds.deallocate()
    objects.deallocate()
    inverses.deallocate()
  }

  /// Enters an entity that the model keeps.
  func enter(_ entity: NSEntityDescription, at number: Int) {
    enter(entity, as: .entity, at: number)
  }

  /// Enters a property that its entity is going to keep.
  func enter(_ property: NSPropertyDescription, at number: Int, isRelationship: Bool) {
    enter(property, as: isRelationship ? .relationship : .property, at: number)
  }

  private func enter(_ object: AnyObject, as kind: Kind, at number: Int) {
    precondition(number >= 0 && number < count, "an object's number is that of another archive")
    kinds[number] = kind
    objects[number] = Unmanaged.passUnretained(object)
  }

  /// Whether nothing was made of an object yet.
  func isFree(_ number: Int) -> Bool { kind(number) == .none }

  /// The entity made of an object.
  func entity(_ number: Int) -> NSEntityDescription? {
    guard kind(number) == .entity, let object = objects[number] else { return nil }
    return unsafeDowncast(object.takeUnretainedValue(), to: NSEntityDescription.self)
  }

  /// Makes the entity of an object a relationship's destination, which it doesn't keep.
  ///
  /// - Returns: Whether there is such an entity.
  func setDestination(of relationship: NSRelationshipDescription, to number: Int) -> Bool {
    guard kind(number) == .entity, let object = objects[number] else { return false }
    object._withUnsafeGuaranteedRef {
      relationship.storedDestination = unsafeDowncast($0, to: NSEntityDescription.self)
    }
    return true
  }

  /// The relationship made of an object.
  func relationship(_ number: Int) -> NSRelationshipDescription? {
    guard kind(number) == .relationship, let object = objects[number] else { return nil }
    return unsafeDowncast(object.takeUnretainedValue(), to: NSRelationshipDescription.self)
  }

  /// The property made of an object.
  func property(_ number: Int) -> NSPropertyDescription? {
    guard kind(number) == .relationship || kind(number) == .property, let object = objects[number]
    else { return nil }
    return unsafeDowncast(object.takeUnretainedValue(), to: NSPropertyDescription.self)
  }

  private func kind(_ number: Int) -> Kind {
    number >= 0 && number < count ? kinds[number] : .none
  }

  /// Notes the number of a relationship's inverse.
  func note(inverse: Int, of number: Int) {
    guard number >= 0 && number < count else { return }
    inverses[number] = UInt32(truncatingIfNeeded: inverse)
  }

  /// Whether two relationships are each other's inverse, as nearly all pairs are.
  func areMutual(_ number: Int, _ inverse: Int) -> Bool {
    kind(number) == .relationship && kind(inverse) == .relationship
      && Int(inverses[number]) == inverse && Int(inverses[inverse]) == number
  }

  /// Links a relationship to its inverse, without as much as touching the latter.
  ///
  /// - Precondition: They are each other's inverse, and the other end is linked too.
  func linkMutually(_ number: Int, _ inverse: Int) {
    guard let object = objects[number], let other = objects[inverse] else { return }
    object._withUnsafeGuaranteedRef { object in
      other._withUnsafeGuaranteedRef { other in
        unsafeDowncast(object, to: NSRelationshipDescription.self)
          .linkMutually(to: unsafeDowncast(other, to: NSRelationshipDescription.self))
      }
    }
  }

  /// Calls a closure with each property, by number.
  func forEachProperty(_ body: (Int, NSPropertyDescription) -> Void) {
    for number in 0..<count {
      if let property = property(number) { body(number, property) }
    }
  }
}
