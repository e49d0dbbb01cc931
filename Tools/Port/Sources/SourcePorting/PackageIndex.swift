import SwiftSyntax

/// The declarations of a package's sources that rewriting one of them must know.
struct PackageIndex {
  /// A class, with what extensions and selectors ask of it.
  struct Class {
    var name: String
    /// Its name and those of the types around it.
    var path: [String]
    var superclass: String?
    /// The name that `@objc(Name)` gives it.
    var objectiveCName: String?
    /// Which of the sources declares it, and where its body ends.
    var file: Int
    var module: String
    var bodyEnd: Int
  }

  /// A method, as a selector names it.
  struct Method {
    /// The type whose body or extension it stands in.
    var type: String
    var name: String
    /// Its parameters: what a call says before each, nil for nothing, and the type.
    var parameters: [(label: String?, type: String)]
    var isStatic: Bool
    /// Whether it gives something back.
    var hasResult: Bool
    /// The selector that `@objc(name)` gives it.
    var objectiveCName: String?
  }

  private(set) var classes: [String: [Class]] = [:]
  private(set) var methods: [String: [Method]] = [:]
  /// What `@objc(name)` calls a property, by its type and name.
  private(set) var propertyNames: [String: String] = [:]
  /// The names of `@NSManaged` properties, by their types.
  private(set) var managedNames: [String: Set<String>] = [:]
  /// The types that `@NSManaged` properties of a name are declared with, whatever their classes, or generated.
  private(set) var managedTypes: [String: Set<String>] = [:]
  /// All types of the package, and those that are extended.
  private(set) var typeNames: Set<String> = []
  /// The public types at the top of the package's modules, each with the word that declares it: `struct`.
  private(set) var topTypes: [String: [String: String]] = [:]
  /// The names of members that others override.
  private(set) var overriddenNames: Set<String> = []
  /// The names of members that Objective-C knows and extensions give to types the package doesn't declare.
  private(set) var foreignMembers: Set<String> = []
  /// The names of properties that are `dynamic`, by their types.
  private var dynamicNames: [String: Set<String>] = [:]
  /// The types that tell of changes by `willChangeValue` and its like.
  private var manualNotifiers: Set<String> = []
  /// Whether some source observes by the name of a property.
  private(set) var observesByName = false
  /// Optional requirements of protocols that give nothing back.
  private(set) var silentRequirements = Requirement.ofCoreData
  /// Those that give something back, with the protocols that have them.
  private(set) var answeredRequirements: [Requirement: Set<String>] = [:]
  /// What extensions declare that Objective-C knows, by the types they extend.
  private(set) var foreignDeclarations: Set<ForeignMember> = []
  /// What classes override, by the classes.
  private(set) var overrides: Set<ForeignMember> = []
  /// What types declare without overriding anything.
  private(set) var ownDeclarations: Set<ForeignMember> = []
  /// What types and protocols say that they inherit from or adopt.
  private(set) var inheritances: [String: Set<String>] = [:]
  /// The names of all properties, by their types.
  private var properties: [String: Set<String>] = [:]
  /// The checks of single properties, `validateAge`, by their types.
  private var validators: [String: Set<String>] = [:]
  /// What the package's data models name.
  let modelNames: ModelNames

  /// What the names of checks of single properties begin with.
  static let validatorPrefix = "validate"

  /// Reads sources, and the texts of data models.
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
      managedNames.merge(reader.managedNames) { $0.union($1) }
      managedTypes.merge(reader.managedTypes) { $0.union($1) }
      topTypes[file.module, default: [:]].merge(reader.topTypes) { first, _ in first }
      typeNames.formUnion(reader.typeNames)
      overriddenNames.formUnion(reader.overriddenNames)
      validators.merge(reader.validators) { $0.union($1) }
      properties.merge(reader.properties) { $0.union($1) }
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

  /// The checks of single properties that a managed class has, sorted.
  func validators(of name: String, in module: String) -> [String] {
    guard let found = validators[name], let type = type(named: name, in: module), isManaged(type)
    else { return [] }
    return found.sorted()
  }

  /// Whether a managed class has a property of that name, be it one that it computes.
  func isOfManagedClass(_ property: String) -> Bool {
    modelNames.properties.contains(property)
      || properties.contains { type, names in
        names.contains(property)
          && (managedNames[type] != nil || classes[type]?.contains(where: isManaged) == true)
      }
  }

  /// Whether objects of a class are surely managed ones: as its superclasses say, its properties, or a data model.
  func isManaged(_ type: Class) -> Bool {
    var (next, seen): (Class?, Set<String>) = (type, [])
    while let found = next, seen.insert(found.name).inserted {
      let name = found.superclass?.split(separator: ".").last.map(String.init)
      if name == "NSManagedObject" || managedNames[found.name]?.isEmpty == false
        || modelNames.classes.contains(found.name)
      {
        return true
      }
      // Its superclass may be generated, and declared nowhere.
      if let name, classes[name] == nil, modelNames.classes.contains(name) { return true }
      next = name.flatMap { self.type(named: $0, in: found.module) }
    }
    return false
  }

  /// A class and those that it inherits from, as far as the package declares them.
  func superclasses(of type: Class) -> [Class] {
    var (found, seen): ([Class], Set<String>) = ([], [])
    var next: Class? = type
    while let type = next, seen.insert(type.name).inserted {
      found.append(type)
      next = type.superclass.flatMap { self.type(named: $0, in: type.module) }
    }
    return found
  }

  /// The properties that a class has key-value observing hear of; nil for managed classes, whose objects tell of all,
  /// and for those that inherit from none of Objective-C's.
  func dynamicProperties(of type: Class) -> Set<String>? {
    guard !isManaged(type), let root = superclasses(of: type).last?.superclass,
      root.hasPrefix("NS") || ["BlockOperation", "Operation", "Progress", "Thread"].contains(root)
    else { return nil }
    return dynamicNames[type.name] ?? []
  }

  /// Whether a class, no managed one, is to say that its objects tell of changes.
  func tellsOfChanges(_ type: Class) -> Bool {
    guard let properties = dynamicProperties(of: type) else { return false }
    // Operations can tell the queues that run them by themselves.
    let isOperation = superclasses(of: type).last?.superclass?.hasSuffix("Operation") ?? false
    return !properties.isEmpty || manualNotifiers.contains(type.name) && !isOperation
  }

  /// Whether some class of the package, no managed one, has key-value observing hear of a property of that name.
  func isDynamic(_ property: String) -> Bool {
    // What a class computes is looked at too, after each change that it tells of.
    Set(dynamicNames.keys).union(manualNotifiers)
      .contains { properties[$0]?.contains(property) ?? false }
  }

  /// Whether a class has a method of that name.
  func declares(_ method: String, in type: String) -> Bool {
    methods[method]?.contains { $0.type == type } ?? false
  }

  /// Whether a class is one of Foundation's transformers, or inherits from one.
  func isTransformer(_ node: ClassDeclSyntax, in module: String) -> Bool {
    var next = node.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription
    var seen: Set<String> = []
    while let name = next, seen.insert(name).inserted {
      if TransformerRewriter.superclasses.contains(name) { return true }
      next = type(named: name, in: module)?.superclass
    }
    return false
  }

  /// The only class of a name in a module.
  func type(named name: String, in module: String) -> Class? {
    let last = name.split(separator: ".").last.map(String.init) ?? name
    let found = (classes[last] ?? []).filter { $0.module == module }
    return found.count == 1 ? found[0] : nil
  }

  /// The method that a selector means: of the type named, else the only one of that name.
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
    var managedNames: [String: Set<String>] = [:]
    var managedTypes: [String: Set<String>] = [:]
    var typeNames: Set<String> = []
    var topTypes: [String: String] = [:]
    var overriddenNames: Set<String> = []
    var validators: [String: Set<String>] = [:]
    var properties: [String: Set<String>] = [:]
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
          objectiveCName: node.attributes.objectiveCName, file: file, module: module,
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

    /// Notes what overrides something, and what something else may override.
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
          type: path.last ?? "", name: node.name.text, parameters: parameters,
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
      for binding in node.bindings {
        guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText,
          let type = path.last
        else { continue }
        if node.modifiers.has("override") { overriddenNames.insert(name) }
        properties[type, default: []].insert(name)
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
  /// The attribute of that name; those within conditions are not looked at.
  func named(_ name: String) -> AttributeSyntax? {
    lazy.compactMap { $0.as(AttributeSyntax.self) }
      .first { $0.attributeName.trimmedDescription == name }
  }

  /// What `@objc(name)` says.
  var objectiveCName: String? {
    named("objc")?.arguments.map { $0.trimmedDescription.filter { !$0.isWhitespace } }
  }
}

extension FunctionDeclSyntax {
  /// Its name, if it says that Objective-C knows it.
  fileprivate var objectiveCMemberName: String? {
    attributes.named("objc") == nil ? nil : name.plainText
  }
}

extension VariableDeclSyntax {
  /// Its name, if it says that Objective-C knows it.
  fileprivate var objectiveCMemberName: String? {
    attributes.named("objc") == nil
      ? nil : bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText
  }
}

extension DeclModifierListSyntax {
  /// Whether one of the modifiers is of that name.
  func has(_ name: String) -> Bool { contains { $0.name.text == name } }

  /// Whether a member belongs to the type.
  var isStatic: Bool { has("static") || has("class") }
}

extension ExtensionDeclSyntax {
  /// The last part of the name of what is extended.
  var extendedTypeName: String {
    let name = extendedType.trimmedDescription
    return name.split(separator: ".").last.map(String.init) ?? name
  }
}

extension TokenSyntax {
  /// A name without its back-quotes.
  var plainText: String {
    text.hasPrefix("`") ? String(text.dropFirst().dropLast()) : text
  }
}
