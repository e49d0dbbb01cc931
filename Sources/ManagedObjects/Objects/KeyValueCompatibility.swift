#if !canImport(ObjectiveC)
  /// A pointer to an object that a method may replace. Elsewhere than on Apple's systems it is a
  /// plain pointer, under the name that overriding methods use there.
  public typealias AutoreleasingUnsafeMutablePointer<Pointee> = UnsafeMutablePointer<Pointee>

  /// How the set of a to-many relationship is changed.
  public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// Objects are added.
    case union = 1
    /// Objects are removed.
    case minus = 2
    /// All but some objects are removed.
    case intersect = 3
    /// All objects are replaced.
    case set = 4
  }
#endif
