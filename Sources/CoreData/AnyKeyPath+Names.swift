import MomKit

#if !canImport(ObjectiveC)
  extension AnyKeyPath {
    /// The keys of a path of managed properties, where Swift's own property of this name is nil without the
    /// Objective-C runtime: libraries that build predicates of key paths ask for it.
    public var _kvcKeyPathString: String? { KeyPathNames.name(of: self) }
  }
#endif
