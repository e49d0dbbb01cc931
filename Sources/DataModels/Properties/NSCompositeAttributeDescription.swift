import Foundation

/// An attribute whose value is a dictionary of further attributes, its elements.
///
/// Elements may be composites again. An element belongs to its composite, not to an entity.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
  final var storedElements: [NSAttributeDescription]

  /// Makes an optional composite without a name and without elements.
  public override init() {
    storedElements = []
    super.init()
    storedType = .compositeAttributeType
  }

  /// Makes a composite with the settings a decoder has at hand; nothing is checked.
  package init(
    name: String, flags: PropertyFlags, type: NSAttributeType = .compositeAttributeType,
    defaultValue: AttributeValue = .none, elements: [NSAttributeDescription]
  ) {
    storedElements = elements
    super.init(name: name, flags: flags, type: type, defaultValue: defaultValue)
  }

  /// The attributes that make up the value, in the order they were given.
  ///
  /// An element belongs to one composite; ``NSManagedObjectModel/findings()`` reports one that is in
  /// two, or in itself.
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
    // Nested composites are released in a loop: a chain of them must not use up the stack.
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
