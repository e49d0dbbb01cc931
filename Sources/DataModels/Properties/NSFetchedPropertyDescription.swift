import Foundation

/// A property whose value is what a fetch request finds: a loose, one-way relationship.
///
/// The request's predicate may use `$FETCH_SOURCE`, the object asked, and `$FETCHED_PROPERTY`, this
/// description.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
  // Sendable: as its model: in one place at a time until it is in use, never changed from then on.
  final var storedFetchRequest: NSFetchRequest<NSFetchRequestResult>?

  /// Makes a fetched property without a name and request.
  public override init() {
    super.init(name: "", flags: [.optional, .readOnly, .transient])
  }

  /// Makes a fetched property with the settings a decoder has at hand; nothing is checked.
  package init(
    name: String, flags: PropertyFlags, fetchRequest: NSFetchRequest<NSFetchRequestResult>?
  ) {
    storedFetchRequest = fetchRequest
    super.init(name: name, flags: flags)
    fetchRequest?.joinModel()
  }

  /// The request whose result is the value.
  ///
  /// The property takes the request over: the request no longer keeps its entity alive.
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
    set { setFlag(.transient, newValue, "setTransient:") }
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
