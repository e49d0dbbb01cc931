import Foundation

/// A property that refers to objects of an entity.
///
/// ```swift
/// let events = NSRelationshipDescription()      // Location.events, to-many
/// events.name = "events"
/// events.destinationEntity = event
/// events.maxCount = 0
/// events.inverseRelationship = location         // and location.inverseRelationship = events
/// ```
///
/// A relationship doesn't retain its destination or inverse: the model owns all entities, and entities own their
/// properties. Both references become `nil` when their target is deallocated.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
  // Sendable: like its model, it is confined to one thread until it is in use, and immutable afterwards.
  @exclusivity(unchecked) private final var destinationLink: EntityLink?
  package final var storedDestination: NSEntityDescription? {
    get { destinationLink?.entity }
    set { destinationLink = newValue?.link }
  }
  /// The inverse, if the two relationships are inverses of each other; see ``storedInverse``.
  @exclusivity(unchecked)
  final unowned(unsafe) var mutualInverse: NSRelationshipDescription?
  @exclusivity(unchecked) final var storedMaxCount: Int
  @exclusivity(unchecked) final var storedMinCount: Int
  @exclusivity(unchecked) final var storedDeleteRule: NSDeleteRule

  /// Creates an optional to-many relationship without a name or destination, with the nullify delete rule.
  public override init() {
    storedMaxCount = 0
    storedMinCount = 0
    storedDeleteRule = .nullifyDeleteRule
    super.init()
  }

  /// Creates a relationship with the settings that a decoder has available, without checks. The destination and inverse
  /// are linked once all entities exist.
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

  /// The entity of the related objects.
  ///
  /// If only its name is known (archives and merges), it is looked up in the model.
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

  /// The relationship of the destination that refers back; Core Data keeps the two consistent.
  ///
  /// Set it at both ends. If only its name is known, it is looked up in the destination.
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

  /// The maximum number of related objects: 1 for a to-one relationship, 0 for no limit.
  ///
  /// A negative count acts as 0; it is archived and hashed as it was set.
  open var maxCount: Int {
    get { storedMaxCount }
    set {
      willChange("setMaxCount:", of: "NSRelationshipDescription")
      storedMaxCount = newValue
    }
  }

  /// The minimum number of related objects, if there are any or the relationship isn't optional.
  open var minCount: Int {
    get { storedMinCount }
    set {
      willChange("setMinCount:", of: "NSRelationshipDescription")
      storedMinCount = newValue
    }
  }

  /// Whether the relationship may have several objects, that is, whether ``maxCount`` isn't 1.
  public final var isToMany: Bool { maxCount != 1 }

  /// The rule for the related objects when the object is deleted.
  open var deleteRule: NSDeleteRule {
    get { storedDeleteRule }
    set {
      willChange("setDeleteRule:", of: "NSRelationshipDescription")
      storedDeleteRule = newValue
    }
  }

  /// Whether a to-many relationship is ordered.
  open var isOrdered: Bool {
    get { flags.contains(.ordered) }
    set { setFlag(.ordered, to: newValue, for: "setOrdered:", of: "NSRelationshipDescription") }
  }

  /// The destination's name or, if there is no destination, the name that was read.
  package final var destinationEntityName: String? {
    get { storedDestination?.name ?? extras?.destinationEntityName }
    set {
      willChange("setDestinationEntity:", of: "NSRelationshipDescription")
      if newValue != nil || extras != nil { extra.destinationEntityName = newValue }
    }
  }

  /// The inverse's name or, if there is no inverse, the name that was read.
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

/// The effect on related objects when an object is deleted.
public enum NSDeleteRule: UInt, Sendable, CaseIterable {
  /// None: they keep referring to the deleted object.
  case noActionDeleteRule = 0
  /// Their inverse relationship is set to nil.
  case nullifyDeleteRule = 1
  /// They are deleted too.
  case cascadeDeleteRule = 2
  /// The object can't be deleted while there are any.
  case denyDeleteRule = 3
}

extension NSRelationshipDescription {
  /// The inverse that was set, an unretained reference.
  ///
  /// Two relationships that are inverses of each other, as nearly all are, refer to each other by unowned pointers, and
  /// the one that is deallocated first clears the other's. This saves a large model two weak references for each pair.
  /// A relationship whose inverse does not refer back uses a weak reference.
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
      releaseEmptyExtras()
      guard let newValue else { return }
      if newValue === self {
        mutualInverse = self
      } else if let other = newValue.extras, other.oneSidedInverse === self {
        other.oneSidedInverse = nil
        newValue.releaseEmptyExtras()
        newValue.mutualInverse = self
        mutualInverse = newValue
      } else {
        extra.oneSidedInverse = newValue
      }
    }
  }

  /// Releases rare settings that hold nothing any more. Every inverse is one-sided until it refers back, and only
  /// relationships without rare settings are recognized as plain.
  private func releaseEmptyExtras() {
    if extras?.isEmpty == true { extras = nil }
  }

  /// Links a new relationship to its inverse, for a decoder that does the same at the other end before the
  /// relationships are shared.
  final func linkMutually(to inverse: NSRelationshipDescription) {
    mutualInverse = inverse
  }
}
