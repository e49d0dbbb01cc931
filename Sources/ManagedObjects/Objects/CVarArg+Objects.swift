import PredicateFormat

// As on Apple's systems, where every object can be passed `as CVarArg` in a format's arguments.

extension NSManagedObject: CVarArg {
  /// Itself.
  public final var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self) }
}

extension NSManagedObjectID: CVarArg {
  /// Itself.
  public final var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self) }
}
