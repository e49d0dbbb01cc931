import Foundation

/// A property whose value is the result of a fetch request: a weak, one-way relationship.
///
/// ```swift
/// let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Order")
/// request.predicate = NSPredicate(format: "customerName == $FETCH_SOURCE.name")
/// let orders = NSFetchedPropertyDescription()
/// orders.name = "orders"
/// orders.fetchRequest = request
/// ```
///
/// The request's predicate may use `$FETCH_SOURCE`, the object that has the property, and `$FETCHED_PROPERTY`, this
/// description.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
  // Sendable: like its model, it is confined to one thread until it is in use, and immutable afterwards.
  final var storedFetchRequest: NSFetchRequest<NSFetchRequestResult>?

  /// Creates a fetched property without a name or request.
  public override init() {
    super.init(name: "", flags: [.optional, .readOnly, .transient])
  }

  /// Creates a fetched property with the settings that a decoder has available, without checks.
  package init(
    name: String, flags: PropertyFlags, fetchRequest: NSFetchRequest<NSFetchRequestResult>?
  ) {
    storedFetchRequest = fetchRequest
    super.init(name: name, flags: flags)
    fetchRequest?.joinModel()
  }

  /// The request whose result is the value.
  ///
  /// The property takes ownership of the request, which no longer retains its entity.
  open var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
    get { storedFetchRequest }
    set {
      willChange("setFetchRequest:", of: "NSFetchedPropertyDescription")
      storedFetchRequest = newValue
      newValue?.joinModel()
    }
  }

  /// Always true: a fetched property isn't stored.
  open override var isTransient: Bool {
    get { true }
    set { setFlag(.transient, to: newValue, for: "setTransient:") }
  }

  override func shallowCopy() -> NSPropertyDescription {
    let copy = NSFetchedPropertyDescription(
      name: storedName, flags: flags, fetchRequest: storedFetchRequest?.duplicate())
    copyCommonSettings(to: copy)
    return copy
  }

  override func freeze() {
    super.freeze()
    storedFetchRequest?.freeze()
  }
}
