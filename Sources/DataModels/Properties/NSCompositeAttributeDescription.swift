import Foundation

/// An attribute whose value is a dictionary of further attributes, called its elements.
///
/// Elements may themselves be composites. An element belongs to its composite, not to an entity.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  // Sendable: like its model, it is confined to one thread until it is in use, and immutable afterwards.
  final var storedElements: [NSAttributeDescription]

  /// Creates an optional composite without a name or elements.
  public override init() {
    storedElements = []
    super.init()
    storedType = .compositeAttributeType
  }

  /// Creates a composite with the settings that a decoder has available, without checks.
  package init(
    name: String, flags: PropertyFlags, type: NSAttributeType = .compositeAttributeType,
    defaultValue: AttributeValue = .none, elements: [NSAttributeDescription]
  ) {
    storedElements = elements
    super.init(name: name, flags: flags, type: type, defaultValue: defaultValue)
  }

  /// The attributes that make up the value, in the order in which they were set.
  ///
  /// An element belongs to one composite; ``NSManagedObjectModel/findings()`` reports an element that belongs to two,
  /// or to itself.
  open var elements: [NSAttributeDescription] {
    get { storedElements }
    set {
      willChange("setElements:", of: "NSCompositeAttributeDescription")
      storedElements = newValue
    }
  }

  override func shallowCopy() -> NSPropertyDescription {
    let copy = NSCompositeAttributeDescription(
      name: storedName, flags: flags, type: storedType, defaultValue: storedDefault, elements: [])
    copyCommonSettings(to: copy)
    return copy
  }

  override func freeze() {
    super.freeze()
    var pending = storedElements
    while let element = pending.popLast() {
      guard !element.flags.contains(.frozen) else { continue }
      element.flags.insert(.frozen)
      if let composite = element as? NSCompositeAttributeDescription {
        pending += composite.storedElements
      }
    }
  }

  deinit {
    // Release nested composites iteratively: a long chain of them must not overflow the stack.
    var pending = storedElements
    storedElements = []
    while var element = pending.popLast() {
      guard isKnownUniquelyReferenced(&element),
        let composite = element as? NSCompositeAttributeDescription
      else { continue }
      pending += composite.storedElements
      composite.storedElements = []
    }
  }
}
