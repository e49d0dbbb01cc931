import Foundation

/// A property that leads to objects of an entity.
///
/// ```swift
/// let events = NSRelationshipDescription()      // Location.events, to-many
/// events.name = "events"
/// events.destinationEntity = event
/// events.maxCount = 0
/// events.inverseRelationship = location         // and location.inverseRelationship = events
/// ```
///
/// A relationship doesn't keep its destination alive, nor its inverse: the model keeps all
/// entities, and entities keep their properties. Both references become `nil` when what they point
/// at goes.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
  // Sendable: as its model: in one place at a time until it is in use, never changed from then on.
  @exclusivity(unchecked) private final var destinationLink: EntityLink?
  package final var storedDestination: NSEntityDescription? {
    get { destinationLink?.entity }
    set { destinationLink = newValue?.link }
  }
  /// The inverse, when this is the inverse's inverse; see ``storedInverse``.
  @exclusivity(unchecked)
  final unowned(unsafe) var mutualInverse: NSRelationshipDescription?
  @exclusivity(unchecked) final var storedMaxCount: Int
  @exclusivity(unchecked) final var storedMinCount: Int
  @exclusivity(unchecked) final var storedDeleteRule: NSDeleteRule

  /// Makes an optional to-many relationship without a name and destination, whose delete rule is
  /// nullify.
  public override init() {
    storedMaxCount = 0
    storedMinCount = 0
    storedDeleteRule = .nullifyDeleteRule
    super.init()
  }

  /// Makes a relationship with the settings a decoder has at hand; nothing is checked. Destination
  /// and inverse are linked when all entities exist.
  package init(
    name: String, flags: PropertyFlags, maxCount: Int, minCount: Int, deleteRule: NSDeleteRule
  ) {
    storedMaxCount = maxCount
    storedMinCount = minCount
    storedDeleteRule = deleteRule
    super.init(name: name, flags: flags)
  }

  deinit {
    if let partner = mutualInverse, partner !== self { partner.mutualInverse = nil }
  }

  /// The entity whose objects the relationship leads to.
  ///
  /// When only its name is known (archives and merges), it is looked up in the model.
  open var destinationEntity: NSEntityDescription? {
    get {
      if let storedDestination { return storedDestination }
      guard let name = extras?.destinationEntityName else { return nil }
      return owner?.model?.entity(named: name)
    }
    set {
      willChange("setDestinationEntity:", of: "NSRelationshipDescription")
      storedDestination = newValue
      extras?.destinationEntityName = nil
    }
  }

  /// The relationship of the destination that leads back; Core Data keeps the two in step.
  ///
  /// Set it at both ends. When only its name is known, it is looked up in the destination.
  open var inverseRelationship: NSRelationshipDescription? {
    get {
      if let storedInverse { return storedInverse }
      guard let name = extras?.inverseRelationshipName else { return nil }
      return destinationEntity?.property(named: name) as? NSRelationshipDescription
    }
    set {
      willChange("setInverseRelationship:", of: "NSRelationshipDescription")
      storedInverse = newValue
      extras?.inverseRelationshipName = nil
    }
  }

  /// How many objects there may be at most: 1 for a to-one relationship, 0 for any number.
  ///
  /// A negative count acts as 0; it is archived and hashed as it was set.
  open var maxCount: Int {
    get { storedMaxCount }
    set {
      willChange("setMaxCount:", of: "NSRelationshipDescription")
      storedMaxCount = newValue
    }
  }

  /// How many objects there must be at least, if there is any or the relationship isn't optional.
  open var minCount: Int {
    get { storedMinCount }
    set {
      willChange("setMinCount:", of: "NSRelationshipDescription")
      storedMinCount = newValue
    }
  }

  /// Whether the relationship may lead to several objects: whether ``maxCount`` isn't 1.
  public final var isToMany: Bool { maxCount != 1 }

  /// What becomes of the destinations when the object is deleted.
  open var deleteRule: NSDeleteRule {
    get { storedDeleteRule }
    set {
      willChange("setDeleteRule:", of: "NSRelationshipDescription")
      storedDeleteRule = newValue
    }
  }

  /// Whether the destinations of a to-many relationship have an order.
  open var isOrdered: Bool {
    get { flags.contains(.ordered) }
    set { setFlag(.ordered, newValue, "setOrdered:", of: "NSRelationshipDescription") }
  }

  /// The destination's name, from the destination or, when there is none, as it was read.
  package final var destinationEntityName: String? {
    get { storedDestination?.name ?? extras?.destinationEntityName }
    set {
      willChange("setDestinationEntity:", of: "NSRelationshipDescription")
      if newValue != nil || extras != nil { extra.destinationEntityName = newValue }
    }
  }

  /// The inverse's name, from the inverse or, when there is none, as it was read.
  package final var inverseRelationshipName: String? {
    get { storedInverse?.storedName ?? extras?.inverseRelationshipName }
    set {
      willChange("setInverseRelationship:", of: "NSRelationshipDescription")
      if newValue != nil || extras != nil { extra.inverseRelationshipName = newValue }
    }
  }

  override func shallowCopy() -> NSPropertyDescription {
    let copy = NSRelationshipDescription(
      name: storedName, flags: flags, maxCount: storedMaxCount, minCount: storedMinCount,
      deleteRule: storedDeleteRule)
    copyCommonSettings(to: copy)
    copy.storedDestination = storedDestination
    copy.storedInverse = storedInverse
    return copy
  }
}

/// What becomes of a relationship's destinations when its object is deleted.
public enum NSDeleteRule: UInt, Sendable, CaseIterable {
  /// Nothing: they keep pointing at the deleted object.
  case noActionDeleteRule = 0
  /// Their inverse is set to nil.
  case nullifyDeleteRule = 1
  /// They are deleted too.
  case cascadeDeleteRule = 2
  /// The object isn't deleted while there are any.
  case denyDeleteRule = 3
}

extension NSRelationshipDescription {
  /// The inverse that was set, which is not kept.
  ///
  /// Two relationships that are each other's inverse, as nearly all are, know each other by bare
  /// pointers, and the one that goes first clears the other's. That spares a large model two weak
  /// references for every pair. A relationship whose inverse does not lead back has a weak one.
  package final var storedInverse: NSRelationshipDescription? {
    get { mutualInverse ?? extras?.oneSidedInverse }
    set {
      if let partner = mutualInverse {
        mutualInverse = nil
        if partner !== self {
          partner.mutualInverse = nil
          partner.extra.oneSidedInverse = self
        }
      }
      extras?.oneSidedInverse = nil
      guard let newValue else { return }
      if newValue === self {
        mutualInverse = self
      } else if let other = newValue.extras, other.oneSidedInverse === self {
        other.oneSidedInverse = nil
        newValue.mutualInverse = self
        mutualInverse = newValue
      } else {
        extra.oneSidedInverse = newValue
      }
    }
  }

  /// Links a new relationship to its inverse, for a decoder that does the same at the other end
  /// before anyone else sees either.
  final func linkMutually(to inverse: NSRelationshipDescription) {
    mutualInverse = inverse
  }
}
