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

  /// Whether a class of a module has a method of this name and these labels, in its body or in an extension.
  func declares(
    _ method: String, labels: [String?], in type: String, of module: String
  ) -> Bool {
    methods[method]?.contains {
      $0.type == type && $0.module == module && !$0.isStatic && $0.parameters.map(\.label) == labels
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

extension PackageIndex {
  /// Collects one source's declarations.
  private final class Reader: SyntaxVisitor {
    let file: Int
    let module: String
    var classes: [Class] = []
    var methods: [Method] = []
    var propertyNames: [String: String] = [:]
    var propertyTypes: [String: String] = [:]
    var managedNames: [String: Set<String>] = [:]
    var managedTypes: [String: Set<String>] = [:]
    var typeNames: Set<String> = []
    var topTypes: [String: String] = [:]
    var overriddenNames: Set<String> = []
    var validators: [String: Set<String>] = [:]
    var properties: [String: Set<String>] = [:]
    var computedProperties: [String: [ComputedProperty]] = [:]
    var dynamicNames: [String: Set<String>] = [:]
    var manualNotifiers: Set<String> = []
    var observesByName = false
    var silentRequirements: Set<Requirement> = []
    var answeredRequirements: [Requirement: Set<String>] = [:]
    var inheritances: [String: Set<String>] = [:]
    var foreignDeclarations: Set<ForeignMember> = []
    var overrides: Set<ForeignMember> = []
    var ownDeclarations: Set<ForeignMember> = []
    var extensionMembers: [String: Set<String>] = [:]
    private var path: [String] = []

    init(_ file: Int, module: String) {
      self.file = file
      self.module = module
      super.init(viewMode: .sourceAccurate)
    }

    private func enter(
      _ name: String, _ keyword: String? = nil, _ modifiers: DeclModifierListSyntax? = nil
    ) -> SyntaxVisitorContinueKind {
      let isPublic = modifiers.map { $0.has("public") || $0.has("open") } ?? false
      if path.isEmpty, isPublic, let keyword { topTypes[name] = keyword }
      path.append(name)
      typeNames.insert(name)
      return .visitChildren
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
      let kind = enter(node.name.text, "class", node.modifiers)
      classes.append(
        Class(
          name: node.name.text, path: path,
          superclass: node.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription,
          objectiveCName: node.attributes.objectiveCName,
          showsMembers: node.attributes.named("objcMembers") != nil, file: file, module: module,
          bodyEnd: node.memberBlock.rightBrace.textRange.lowerBound))
      return kind
    }
    override func visit(_ node: InheritanceClauseSyntax) -> SyntaxVisitorContinueKind {
      if let type = path.last {
        inheritances[type, default: []].formUnion(
          node.inheritedTypes.map { $0.type.trimmedDescription })
      }
      return .skipChildren
    }

    override func visitPost(_ node: ClassDeclSyntax) { path.removeLast() }
    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
      enter(node.name.text, "struct", node.modifiers)
    }
    override func visitPost(_ node: StructDeclSyntax) { path.removeLast() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
      enter(node.name.text, "enum", node.modifiers)
    }
    override func visitPost(_ node: EnumDeclSyntax) { path.removeLast() }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
      enter(node.name.text, "class", node.modifiers)
    }
    override func visitPost(_ node: ActorDeclSyntax) { path.removeLast() }
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
      enter(node.name.text, "protocol", node.modifiers)
    }
    override func visitPost(_ node: ProtocolDeclSyntax) { path.removeLast() }
    override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
      for member in node.memberBlock.members {
        guard
          let name = member.decl.as(FunctionDeclSyntax.self)?.objectiveCMemberName
            ?? member.decl.as(VariableDeclSyntax.self)?.objectiveCMemberName
        else { continue }
        extensionMembers[node.extendedTypeName, default: []].insert(name)
      }
      return enter(node.extendedTypeName)
    }
    override func visitPost(_ node: ExtensionDeclSyntax) { path.removeLast() }

    /// Records members that override others or may be overridden.
    private func note(_ decl: DeclSyntax) {
      guard let type = path.last, let member = ForeignMember.Declaration(decl) else { return }
      if member.modifiers.has("override") {
        overrides.insert(member.member(of: type))
      } else {
        ownDeclarations.insert(member.member(of: type))
        let isHidden = member.modifiers.has("private") || member.modifiers.has("fileprivate")
        if !isHidden, member.attributes.named("objc") != nil,
          decl.parent?.parent?.parent?.parent?.is(ExtensionDeclSyntax.self) == true
        {
          foreignDeclarations.insert(member.member(of: type))
        }
      }
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
      note(DeclSyntax(node))
      if node.modifiers.has("override") { overriddenNames.insert(node.name.plainText) }
      if node.isPropertyValidator, let type = path.last {
        validators[type, default: []].insert(node.name.text)
      }
      if node.modifiers.has("optional"), node.isDoneInSilence {
        silentRequirements.insert(node.requirement)
      } else if node.modifiers.has("optional"), let type = path.last {
        answeredRequirements[node.requirement, default: []].insert(type)
      }
      let parameters = node.signature.parameterClause.parameters.map {
        (
          label: $0.firstName.text == "_" ? nil : $0.firstName.text,
          type: $0.type.trimmedDescription
        )
      }
      methods.append(
        Method(
          type: path.last ?? "", module: module, name: node.name.text, parameters: parameters,
          isStatic: node.modifiers.isStatic, hasResult: node.signature.returnClause != nil,
          objectiveCName: node.attributes.objectiveCName))
      return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
      let name = node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text
      if name == "addObserver", node.arguments.contains(where: { $0.label?.text == "forKeyPath" }) {
        observesByName = true
      }
      let function = node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text
      if function == "willChangeValue" || function == "didChangeValue", let type = path.last {
        manualNotifiers.insert(type)
      }
      return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
      note(DeclSyntax(node))
      if let type = path.last, !node.computedProperties.isEmpty {
        computedProperties[type, default: []] += node.computedProperties
      }
      for binding in node.bindings {
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText,
          let type = path.last
        else { continue }
        if node.modifiers.has("override") { overriddenNames.insert(name) }
        properties[type, default: []].insert(name)
        if let content = binding.typeAnnotation?.type.contentName {
          propertyTypes["\(type).\(name)"] = content
        }
        if node.modifiers.has("dynamic"), !node.modifiers.isStatic,
          node.attributes.named("NSManaged") == nil
        {
          dynamicNames[type, default: []].insert(name)
        }
        if node.attributes.named("NSManaged") != nil {
          managedNames[type, default: []].insert(name)
          let declared = binding.typeAnnotation?.type.trimmedDescription ?? ""
          managedTypes[name, default: []].insert(declared.filter { !"?!".contains($0) })
        }
        if let objectiveCName = node.attributes.objectiveCName {
          propertyNames["\(type).\(name)"] = objectiveCName
        }
      }
      return .visitChildren
    }
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

extension FunctionDeclSyntax {
  /// Its name, if it is visible to Objective-C.
  fileprivate var objectiveCMemberName: String? {
    attributes.named("objc") == nil ? nil : name.plainText
  }
}

extension VariableDeclSyntax {
  /// Its name, if it is visible to Objective-C.
  fileprivate var objectiveCMemberName: String? {
    attributes.named("objc") == nil
      ? nil : bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText
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
