#if !canImport(ObjectiveC)
  /// A pointer to an object that a method may replace. Outside Apple's systems it is a plain pointer, under the name
  /// that overriding methods use on Apple's systems.
  public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

  /// The kind of change to the set of a to-many relationship.
  public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// Objects are added.
    case union = 1
    /// Objects are removed.
    case minus = 2
    /// All but the given objects are removed.
    case intersect = 3
    /// All objects are replaced.
    case set = 4
  }
#endif
