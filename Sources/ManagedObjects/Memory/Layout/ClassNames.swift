import Foundation

#if !canImport(ObjectiveC)
  /// The class with a name, with or without its module, or with a name from ``NamedClasses``; nil if there is none or
  /// several.
  ///
  /// Outside Apple's systems, Foundation's function of this name only supports `Module.Class`. `import MomKit` and
  /// `import CoreData` make this one visible, also together with Foundation.
  public func NSClassFromString(_ aClassName: String) -> AnyClass? {
    if let type = ObjectClassRegistry.shared.find(aClassName) { return type }
    if let type = RuntimeClasses.find(aClassName, where: { _ in true }) { return type }
    // Foundation logs an error for names with more than two components.
    guard aClassName.split(separator: ".").count == 2 else { return nil }
    return Foundation.NSClassFromString(aClassName)
  }

  /// The name of a class, `Module.Outer.Class`, or its name from ``NamedClasses``.
  ///
  /// Outside Apple's systems, Foundation's function of this name traps for a class that is nested in a type or a
  /// function, or has type arguments.
  public func NSStringFromClass(_ aClass: AnyClass) -> String {
    let given = RuntimeClasses.givenNames(of: aClass)
    if given.count == 1 { return given[0] }
    let names = RuntimeClasses.names(of: aClass)
    // Names of Foundation's own classes have no module, and some differ from their Swift names.
    return names.first == "Foundation" && names.count == 2
      ? Foundation.NSStringFromClass(aClass) : names.joined(separator: ".")
  }
#endif
