import SwiftSyntax

/// The declarations in a package's sources that rewriting any one of them depends on.
struct PackageIndex {
  /// A class, as needed for extensions and selectors.
  struct Class {
    var name: String
    /// Its name, preceded by those of the enclosing types.
    var path: [String]
    var superclass: String?
    /// The name given by `@objc(Name)`.
    var objectiveCName: String?
    /// Whether it is marked `@objcMembers`.
    var showsMembers: Bool
    /// The index of the source that declares it, and the offset at which its body ends.
    var file: Int
    var module: String
    var bodyEnd: Int
    /// The innermost clause of `#if` that encloses it.
    var condition: SyntaxIdentifier?
  }

  /// A method, as named by a selector.
  struct Method {
    /// The type that declares it in its body or in an extension.
    var type: String
    /// The module that declares it.
    var module: String
    var name: String
    /// Its parameters: the argument label, or nil if there is none, and the type.
    var parameters: [(label: String?, type: String)]
    var isStatic: Bool
    /// Whether it overrides another.
    var isOverride: Bool
    /// Whether it returns a value.
    var hasResult: Bool
    /// The selector given by `@objc(name)`.
    var objectiveCName: String?
  }

  /// A type's name in a module. Other modules may have types of the same name, or extensions of this one.
  struct ModuleType: Hashable {
    var module: String
    var name: String
  }

  private(set) var classes: [String: [Class]] = [:]
  private(set) var methods: [String: [Method]] = [:]
  /// The names that `@objc(name)` gives properties, by type and Swift name.
  private(set) var propertyNames: [String: String] = [:]
  /// The types of properties or, of collections, of their elements, by type and Swift name.
  private(set) var propertyTypes: [String: String] = [:]
  /// The names of `@NSManaged` properties, by type.
  private(set) var managedNames: [String: Set<String>] = [:]
  /// The types of `@NSManaged` and generated properties, by property name, in any class.
  private(set) var managedTypes: [String: Set<String>] = [:]
  /// The types that the package declares, by what they are to Objective-C.
  private(set) var typeKinds = TypeKinds()
  /// All types that the package declares or extends.
  private(set) var typeNames: Set<String> = []
  /// The public top-level types of the package's modules, each with its keyword, such as `struct`.
  private(set) var topTypes: [String: [String: String]] = [:]
  /// The names of overridden members.
  private(set) var overriddenNames: Set<String> = []
  /// The names of members that are visible to Objective-C and that extensions add to other modules' types.
  private(set) var foreignMembers: Set<String> = []
  /// The names of `dynamic` properties, by type.
  private var dynamicNames: [String: Set<String>] = [:]
  /// The types that call `willChangeValue` and related methods themselves.
  private var manualNotifiers: Set<String> = []
  /// Whether any source observes properties by name.
  private(set) var observesByName = false
  /// Optional requirements without a result.
  private(set) var silentRequirements = Requirement.ofCoreData
  /// Optional requirements with a result, and the protocols that declare them.
  private(set) var answeredRequirements: [Requirement: Set<String>] = [:]
  /// Members that extensions declare and that are visible to Objective-C, with the extended types.
  private(set) var foreignDeclarations: Set<ForeignMember> = []
  /// Members that classes override, with those classes.
  private(set) var overrides: Set<ForeignMember> = []
  /// Members that types declare without overriding.
  private(set) var ownDeclarations: Set<ForeignMember> = []
  /// The inheritance clauses of types and protocols.
  private(set) var inheritances: [String: Set<String>] = [:]
  /// The names of all properties, by type.
  private(set) var properties: [String: Set<String>] = [:]
  /// The properties that Objective-C may see and types compute or store themselves, by the type that a module declares
  /// or extends.
  private(set) var computedProperties: [ModuleType: [ComputedProperty]] = [:]
  /// Validation methods for single properties, such as `validateAge`, by the type that a module declares or extends.
  private var validators: [ModuleType: Set<String>] = [:]
  /// The names in the package's data models.
  let modelNames: ModelNames

  /// The prefix of validation methods for single properties.
  static let validatorPrefix = "validate"

  /// Indexes sources, with the texts of the package's data models.
  init(_ files: [SourceFile], models: [String]) {
    modelNames = ModelNames(models)
    var extensionMembers: [String: Set<String>] = [:]
    managedTypes = modelNames.generatedTypes
    for (number, file) in files.enumerated() {
      let reader = Reader(number, module: file.module)
      reader.walk(file.tree)
      for type in reader.classes { classes[type.name, default: []].append(type) }
      for method in reader.methods { methods[method.name, default: []].append(method) }
      propertyNames.merge(reader.propertyNames) { first, _ in first }
      propertyTypes.merge(reader.propertyTypes) { first, _ in first }
      managedNames.merge(reader.managedNames) { $0.union($1) }
      managedTypes.merge(reader.managedTypes) { $0.union($1) }
      topTypes[file.module, default: [:]].merge(reader.topTypes) { first, _ in first }
      typeKinds.formUnion(reader.typeKinds)
      typeNames.formUnion(reader.typeNames)
      overriddenNames.formUnion(reader.overriddenNames)
      for (type, names) in reader.validators {
        validators[ModuleType(module: file.module, name: type), default: []].formUnion(names)
      }
      properties.merge(reader.properties) { $0.union($1) }
      for (type, found) in reader.computedProperties {
        computedProperties[ModuleType(module: file.module, name: type), default: []] += found
      }
      dynamicNames.merge(reader.dynamicNames) { $0.union($1) }
      manualNotifiers.formUnion(reader.manualNotifiers)
      observesByName = observesByName || reader.observesByName
      silentRequirements.formUnion(reader.silentRequirements)
      answeredRequirements.merge(reader.answeredRequirements) { $0.union($1) }
      inheritances.merge(reader.inheritances) { $0.union($1) }
      foreignDeclarations.formUnion(reader.foreignDeclarations)
      overrides.formUnion(reader.overrides)
      ownDeclarations.formUnion(reader.ownDeclarations)
      extensionMembers.merge(reader.extensionMembers) { $0.union($1) }
    }
    for (type, names) in extensionMembers where classes[type] == nil {
      foreignMembers.formUnion(names)
    }
    for type in modelNames.classes { foreignMembers.subtract(extensionMembers[type] ?? []) }
  }

  /// Returns the sorted names of a managed class's validation methods for single properties.
  func validators(of name: String, in module: String) -> [String] {
    guard let found = validators[ModuleType(module: module, name: name)],
      let type = type(named: name, in: module), isManaged(type)
    else { return [] }
    return found.sorted()
  }

  /// Whether a managed class has a property of this name, including computed ones.
  func isOfManagedClass(_ property: String) -> Bool {
    modelNames.properties.contains(property)
      || properties.contains { type, names in
        names.contains(property)
          && (managedNames[type] != nil || classes[type]?.contains(where: isManaged) == true)
      }
  }

  /// Whether a class is certain to be a managed object class, judging by its superclasses, its properties, or a data
  /// model.
  func isManaged(_ type: Class) -> Bool {
    var (next, seen): (Class?, Set<String>) = (type, [])
    while let found = next, seen.insert(found.name).inserted {
      let name = found.superclass?.split(separator: ".").last.map(String.init)
      if name == "NSManagedObject" || managedNames[found.name]?.isEmpty == false
        || modelNames.classes.contains(found.name)
      {
        return true
      }
      // The superclass may be generated, and so be declared nowhere.
      if let name, classes[name] == nil, modelNames.classes.contains(name) { return true }
      next = name.flatMap { self.type(named: $0, in: found.module) }
    }
    return false
  }

  /// Returns a class and its superclasses, as far as the package declares them.
  func superclasses(of type: Class) -> [Class] {
    var (found, seen): ([Class], Set<String>) = ([], [])
    var next: Class? = type
    while let type = next, seen.insert(type.name).inserted {
      found.append(type)
      next = type.superclass.flatMap { self.type(named: $0, in: type.module) }
    }
    return found
  }

  /// Returns the properties that a class makes observable, or nil for managed object classes, which announce all
  /// changes themselves, and for classes without an Objective-C superclass.
  func dynamicProperties(of type: Class) -> Set<String>? {
    guard !isManaged(type), let root = superclasses(of: type).last?.superclass,
      root.hasPrefix("NS") || ["BlockOperation", "Operation", "Progress", "Thread"].contains(root)
    else { return nil }
    return dynamicNames[type.name] ?? []
  }

  /// Whether a class other than a managed object class must declare that its objects announce changes.
  func tellsOfChanges(_ type: Class) -> Bool {
    guard let properties = dynamicProperties(of: type) else { return false }
    // Operations notify their queues without this.
    let isOperation = superclasses(of: type).last?.superclass?.hasSuffix("Operation") ?? false
    return !properties.isEmpty || manualNotifiers.contains(type.name) && !isOperation
  }

  /// Whether any class of the package other than a managed object class makes a property of this name observable.
  func isDynamic(_ property: String) -> Bool {
    // Computed properties are also checked after each announced change.
    Set(dynamicNames.keys).union(manualNotifiers)
      .contains { properties[$0]?.contains(property) ?? false }
  }

  /// Whether a class has a method of this name.
  func declares(_ method: String, in type: String) -> Bool {
    methods[method]?.contains { $0.type == type } ?? false
  }

  /// Whether a class of a module overrides a method of this name and these labels, in its body or in an extension. A
  /// method that overrides nothing is an overload, which nothing calls in the other's place.
  func declares(
    _ method: String, labels: [String?], in type: String, of module: String
  ) -> Bool {
    methods[method]?.contains {
      $0.type == type && $0.module == module && $0.isOverride && !$0.isStatic
        && $0.parameters.map(\.label) == labels
    } ?? false
  }

  /// Whether a class is a subclass of one of Foundation's value transformers.
  func isTransformer(_ node: ClassDeclSyntax, in module: String) -> Bool {
    var next = node.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription
    var seen: Set<String> = []
    while let name = next, seen.insert(name).inserted {
      if TransformerRewriter.superclasses.contains(name) { return true }
      next = type(named: name, in: module)?.superclass
    }
    return false
  }

  /// Returns the class of a name in a module, if it is unique.
  func type(named name: String, in module: String) -> Class? {
    let last = name.split(separator: ".").last.map(String.init) ?? name
    let found = (classes[last] ?? []).filter { $0.module == module }
    return found.count == 1 ? found[0] : nil
  }

  /// Returns the method that a selector refers to: that of the given type, or else the only one of this name.
  func method(_ name: String, labels: [String?]?, in type: String?) -> Method? {
    var candidates = (methods[name] ?? []).filter { method in
      labels.map { $0 == method.parameters.map(\.label) } ?? true
    }
    if let type, candidates.contains(where: { $0.type == type }) {
      candidates = candidates.filter { $0.type == type }
    }
    return candidates.count == 1 || candidates.first?.type == type ? candidates.first : nil
  }
}

extension AttributeListSyntax {
  /// Returns the attribute of a name, ignoring those inside conditional compilation.
  func named(_ name: String) -> AttributeSyntax? {
    lazy.compactMap { $0.as(AttributeSyntax.self) }
      .first { $0.attributeName.trimmedDescription == name }
  }

  /// The name given by `@objc(name)`.
  var objectiveCName: String? {
    named("objc")?.arguments.map { $0.trimmedDescription.filter { !$0.isWhitespace } }
  }
}

extension DeclModifierListSyntax {
  /// Whether the modifiers include one of this name.
  func has(_ name: String) -> Bool { contains { $0.name.text == name } }

  /// Whether the member belongs to the type.
  var isStatic: Bool { has("static") || has("class") }

  /// The access level of members that are added to a class with these modifiers and that its subclasses, which may be
  /// in other modules, override; followed by a space if it isn't the default.
  var accessOfOverrides: String { has("open") ? "open " : has("public") ? "public " : "" }
}

extension ExtensionDeclSyntax {
  /// The last component of the extended type's name.
  var extendedTypeName: String {
    let name = extendedType.trimmedDescription
    return name.split(separator: ".").last.map(String.init) ?? name
  }
}

extension TokenSyntax {
  /// A name without backticks.
  var plainText: String {
    text.hasPrefix("`") ? String(text.dropFirst().dropLast()) : text
  }
}
