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

  /// The name of a class, `Module.Outer.Class`, or the one that ``NamedClasses`` gives it.
  ///
  /// Foundation's function of that name ends the program off Apple's systems when a class stands within a type or a
  /// function, or has type arguments.
  public func NSStringFromClass(_ aClass: AnyClass) -> String {
    let given = RuntimeClasses.givenNames(of: aClass)
    if given.count == 1 { return given[0] }
    let names = RuntimeClasses.names(of: aClass)
    // Foundation's own are called without their module, some of them by other names than Swift's.
    return names.first == "Foundation" && names.count == 2
      ? Foundation.NSStringFromClass(aClass) : names.joined(separator: ".")
  }
#endif
