/// The instance decoded from each object of an archive, by object number.
///
/// The table holds unowned references: entities are owned by the model being decoded, and properties by their entities.
/// Adding and looking up objects therefore involves no reference counting, which would be noticeable for a model with
/// 100,000 properties. The caller that adds an object keeps it alive for as long as the table is used.
/// table is used.
final class DecodedInstances {
  private enum Kind: UInt8 {
    case none, entity, relationship, property
  }

  private let count: Int
  private let kinds: UnsafeMutablePointer<Kind>
  private let objects: UnsafeMutablePointer<Unmanaged<AnyObject>?>
  /// The inverse of each relationship, by object number; 0 for none.
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

  /// Adds an entity owned by the model.
  func enter(_ entity: NSEntityDescription, at number: Int) {
    enter(entity, as: .entity, at: number)
  }

  /// Adds a property that will be owned by its entity.
  func enter(_ property: NSPropertyDescription, at number: Int, isRelationship: Bool) {
    enter(property, as: isRelationship ? .relationship : .property, at: number)
  }

  private func enter(_ object: AnyObject, as kind: Kind, at number: Int) {
    precondition(number >= 0 && number < count, "an object's number is that of another archive")
    kinds[number] = kind
    objects[number] = Unmanaged.passUnretained(object)
  }

  /// Whether an object has not been decoded yet.
  func isFree(_ number: Int) -> Bool { kind(number) == .none }

  /// The entity decoded from an object.
  func entity(_ number: Int) -> NSEntityDescription? {
    guard kind(number) == .entity, let object = objects[number] else { return nil }
    return unsafeDowncast(object.takeUnretainedValue(), to: NSEntityDescription.self)
  }

  /// Sets a relationship's destination, which is an unowned reference, to the entity decoded from an object.
  ///
  /// - Returns: Whether there is such an entity.
  func setDestination(of relationship: NSRelationshipDescription, to number: Int) -> Bool {
    guard kind(number) == .entity, let object = objects[number] else { return false }
    object._withUnsafeGuaranteedRef {
      relationship.storedDestination = unsafeDowncast($0, to: NSEntityDescription.self)
    }
    return true
  }

  /// The relationship decoded from an object.
  func relationship(_ number: Int) -> NSRelationshipDescription? {
    guard kind(number) == .relationship, let object = objects[number] else { return nil }
    return unsafeDowncast(object.takeUnretainedValue(), to: NSRelationshipDescription.self)
  }

  /// The property decoded from an object.
  func property(_ number: Int) -> NSPropertyDescription? {
    guard kind(number) == .relationship || kind(number) == .property, let object = objects[number]
    else { return nil }
    return unsafeDowncast(object.takeUnretainedValue(), to: NSPropertyDescription.self)
  }

  private func kind(_ number: Int) -> Kind {
    number >= 0 && number < count ? kinds[number] : .none
  }

  /// Records the number of a relationship's inverse.
  func note(inverse: Int, of number: Int) {
    guard number >= 0 && number < count else { return }
    inverses[number] = UInt32(truncatingIfNeeded: inverse)
  }

  /// Whether two relationships are inverses of each other, as nearly all pairs are.
  func areMutual(_ number: Int, _ inverse: Int) -> Bool {
    kind(number) == .relationship && kind(inverse) == .relationship
      && Int(inverses[number]) == inverse && Int(inverses[inverse]) == number
  }

  /// Links a relationship to its inverse without retaining or releasing the inverse.
  ///
  /// - Precondition: The two are inverses of each other, and the other end is linked as well.
  func linkMutually(_ number: Int, _ inverse: Int) {
    guard let object = objects[number], let other = objects[inverse] else { return }
    object._withUnsafeGuaranteedRef { object in
      other._withUnsafeGuaranteedRef { other in
        unsafeDowncast(object, to: NSRelationshipDescription.self)
          .linkMutually(to: unsafeDowncast(other, to: NSRelationshipDescription.self))
      }
    }
  }

  /// Calls a closure with each property, in the order of object numbers.
  func forEachProperty(_ body: (Int, NSPropertyDescription) -> Void) {
    for number in 0..<count {
      if let property = property(number) { body(number, property) }
    }
  }
}
