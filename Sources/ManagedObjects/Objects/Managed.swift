import Foundation
import Synchronization

/// A property of an `NSManagedObject` subclass, declared as `@NSManaged` does with the Objective-C runtime.
///
/// ```swift
/// final class Person: NSManagedObject {
///   @Managed var name: String?
///   @Managed var age: Int16
///   @Managed var employer: Company?
///   @Managed var friends: Set<Person>
///   @Managed("isAdmin") var admin: Bool
/// }
/// ```
///
/// The wrapper accesses the model property with the variable's name, or with the name given. A property that isn't
/// declared optional but whose attribute has no value reads as 0, false or empty.
@propertyWrapper
public struct Managed<Value: ManagedPropertyValue> {
  private let name: String?
  /// Declares the model property with the variable's own name.
  public init() { name = nil }

  /// Declares a model property with another name.
  public init(_ name: String) { self.name = name }

  /// Unavailable: managed properties belong to classes.
  @available(*, unavailable, message: "only properties of NSManagedObject classes can be @Managed")
  public var wrappedValue: Value {
    get { preconditionFailure("@Managed outside of a managed object class") }
    set { preconditionFailure("@Managed outside of a managed object class") }
  }

  /// Reads and writes the property through its enclosing object.
  public static subscript<Object: NSManagedObject>(
    _enclosingInstance object: Object,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<Object, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<Object, Managed<Value>>
  ) -> Value {
    get {
      Value.managedValue(of: property(in: object, storageKeyPath, as: Value.self), in: object)
    }
    set { newValue.setManagedValue(of: property(in: object, storageKeyPath), in: object) }
  }

  private static func property<Object: NSManagedObject>(
    in object: Object, _ storage: ReferenceWritableKeyPath<Object, Managed<Value>>,
    as type: Any.Type? = nil
  ) -> ManagedProperty {
    object.managedProperty(
      object[keyPath: storage].name ?? ManagedNames.shared.name(of: storage), as: type)
  }
}

/// The names of managed properties, by the key paths of their storage.
final class ManagedNames: Sendable {
  static let shared = ManagedNames()

  /// Sendable: literal key paths are immutable, though Swift doesn't declare them so.
  private struct Path: Hashable, @unchecked Sendable { let keyPath: AnyKeyPath }

  private let known = Mutex<[Path: String]>([:])
  /// A cache by object identity, because key path literals mostly are the same objects each time, and comparing two
  /// key paths costs more than reading a value.
  private let met = Mutex(Met())

  private struct Met {
    var names: [ObjectIdentifier: String] = [:]
    /// Retains the key paths, so that their addresses stay unique.
    var paths: [Path] = []
  }

  /// The maximum number of cached key paths: a generic class may create new ones each time.
  private static let metLimit = 4096

  /// The name of the variable whose wrapper is stored at `path`.
  ///
  /// Swift's reflection knows the names of stored properties, and a key path's description shows them:
  /// `\Person._name` for `@Managed var name`.
  func name(of path: AnyKeyPath) -> String {
    if let name = met.withLock({ $0.names[ObjectIdentifier(path)] }) { return name }
    let name = readName(of: path)
    let path = Path(keyPath: path)
    met.withLock { met in
      guard met.paths.count < Self.metLimit else { return }
      met.names[ObjectIdentifier(path.keyPath)] = name
      met.paths.append(path)
    }
    return name
  }

  private func readName(of path: AnyKeyPath) -> String {
    let path = Path(keyPath: path)
    if let name = known.withLock({ $0[path] }) { return name }
    let text = path.keyPath.debugDescription
    let last = text.split(separator: ".").last.map(String.init) ?? text
    let name = last.hasPrefix("_") ? String(last.dropFirst()) : last
    known.withLock { $0[path] = name }
    return name
  }
}
