import Foundation

/// An attribute whose value is a dictionary of further attributes, called its elements.
///
/// ```swift
/// let street = NSAttributeDescription()
/// street.name = "street"
/// street.type = .string
/// let address = NSCompositeAttributeDescription()
/// address.name = "address"
/// address.elements = [street, city]
/// ```
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

extension NSCompositeAttributeDescription {
  /// The deepest nesting of composites that can be used, as in files of models.
  private static var deepestNesting: Int { 64 }
  /// The largest number of elements at all depths.
  private static var mostElements: Int { 100_000 }

  /// Whether the elements can be listed at every depth. False if the composite contains itself, or if it is nested so
  /// deep, or its elements occur in so many places, that doing so would overflow the stack or never end.
  ///
  /// Models from files always are like this; one made in code may be anything.
  package final var hasListableElements: Bool {
    /// The composites of one depth, and how often each occurs there.
    var level = [ObjectIdentifier(self): (composite: self, count: 1)]
    var total = 0
    for _ in 0..<Self.deepestNesting {
      var next: [ObjectIdentifier: (composite: NSCompositeAttributeDescription, count: Int)] = [:]
      for (composite, count) in level.values {
        let (elements, isTooMuch) = composite.elements.count.multipliedReportingOverflow(by: count)
        guard !isTooMuch, elements <= Self.mostElements - total else { return false }
        total += elements
        for case let nested as NSCompositeAttributeDescription in composite.elements {
          next[ObjectIdentifier(nested), default: (nested, 0)].count += count
        }
      }
      if next.isEmpty { return true }
      level = next
    }
    return false
  }
}
