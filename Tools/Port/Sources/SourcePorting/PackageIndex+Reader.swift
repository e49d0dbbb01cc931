import SwiftSyntax

extension PackageIndex {
  /// Collects one source's declarations.
  final class Reader: SyntaxVisitor {
    let file: Int
    let module: String
    var classes: [Class] = []
    var methods: [Method] = []
    var propertyNames: [String: String] = [:]
    var propertyTypes: [String: String] = [:]
    var managedNames: [String: Set<String>] = [:]
    var managedTypes: [String: Set<String>] = [:]
    var typeKinds = TypeKinds()
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
          bodyEnd: node.memberBlock.rightBrace.textRange.lowerBound,
          condition: node.ancestors.first { $0.is(IfConfigClauseSyntax.self) }?.id))
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
      typeKinds.native.insert(node.name.text)
      return enter(node.name.text, "struct", node.modifiers)
    }
    override func visitPost(_ node: StructDeclSyntax) { path.removeLast() }
    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
      if node.attributes.named("objc") == nil {
        typeKinds.native.insert(node.name.text)
      } else {
        typeKinds.enumerations.insert(node.name.text)
      }
      return enter(node.name.text, "enum", node.modifiers)
    }
    override func visitPost(_ node: EnumDeclSyntax) { path.removeLast() }
    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
      typeKinds.native.insert(node.name.text)
      return enter(node.name.text, "class", node.modifiers)
    }
    override func visitPost(_ node: ActorDeclSyntax) { path.removeLast() }
    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
      if node.attributes.named("objc") == nil {
        typeKinds.native.insert(node.name.text)
      } else {
        typeKinds.protocols.insert(node.name.text)
      }
      return enter(node.name.text, "protocol", node.modifiers)
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
          isStatic: node.modifiers.isStatic, isOverride: node.modifiers.has("override"),
          hasResult: node.signature.returnClause != nil,
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
      let computed = node.computedProperties(inFile: file)
      if let type = path.last, !computed.isEmpty {
        computedProperties[type, default: []] += computed
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
