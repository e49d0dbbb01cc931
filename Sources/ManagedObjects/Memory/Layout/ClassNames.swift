import Foundation

#if !canImport(ObjectiveC)
  /// The class of a name, with or without its module, or by the name that ``NamedClasses`` gives it; nil for
  /// none, or for several.
  ///
  /// Foundation's function of that name knows `Module.Class` only off Apple's systems. `import MomKit` and
  /// `import CoreData` show this one, beside Foundation too.
  public func NSClassFromString(_ aClassName: String) -> AnyClass? {
    if let type = ObjectClassRegistry.shared.find(aClassName) { return type }
    if let type = RuntimeClasses.find(aClassName, where: { _ in true }) { return type }
    // Foundation complains aloud about names of more than two parts.
    guard aClassName.split(separator: ".").count == 2 else { return nil }
    return Foundation.NSClassFromString(aClassName)
  }
#endif
