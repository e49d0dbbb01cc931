import MomKit

#if !canImport(ObjectiveC)
  extension AnyKeyPath {
    /// The key path string of a path of managed properties. Without the Objective-C runtime, Swift's own property with
    /// this name is nil, but libraries that build predicates from key paths rely on it.
    public var _kvcKeyPathString: String? {
      // The identity key path.
      debugDescription.hasSuffix(".self") ? "self" : KeyPathNames.name(of: self)
    }
  }
#endif
