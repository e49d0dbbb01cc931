import SwiftSyntax

/// Rewrites members that an extension adds to a class of another module and that classes of the package override.
/// Objective-C finds the override; in Swift, members of extensions can't be overridden.
///
/// Overrides are renamed and declared in a protocol of their own, and the extension's member calls the override if
/// there is one.
final class ForeignOverrideRewriter: SourceVisitor {
  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    for member in node.memberBlock.members {
      guard let decl = ForeignMember.Declaration(member.decl),
        rewriter.index.isOverridden(decl.member(of: node.extendedTypeName))
      else { continue }
      dispatch(decl, decl.member(of: node.extendedTypeName), of: node)
    }
    return .visitChildren
  }

  private func dispatch(
    _ decl: ForeignMember.Declaration, _ member: ForeignMember, of node: ExtensionDeclSyntax
  ) {
    let isPublic = ["open", "public"].contains { decl.modifiers.has($0) || node.modifiers.has($0) }
    let (access, word) = (isPublic ? "public " : "", member.isStatic ? "static " : "")
    let type = "any \(member.protocolName)\(member.isStatic ? ".Type" : "")"
    let (own, inherited) = ("own.\(member.overriddenName)", member.inheritedName)
    let question = "if let own = self as? \(type)"
    let reading =
      "\(question) { return \(decl.effects)\(own)\(decl.arguments) }; "
      + "return \(decl.effects)\(inherited)\(decl.arguments)"
    let writing = "\(question) { \(own) = newValue } else { \(inherited) = newValue }"
    rewriter.edits.insert(
      (decl.isSettable ? " get { \(reading) } set { \(writing) } }; " : " \(reading) }; ")
        + "\(access)\(word)\(decl.keyword) \(inherited)\(decl.signature) {",
      at: decl.bodyStart)
    let accessors = decl.isSettable ? " { get set }" : " { get }"
    let requirement = decl.signature + (member.isProperty ? accessors : "")
    rewriter.appended.append(
      "\(access)protocol \(member.protocolName): AnyObject {\n"
        + "  \(word)\(decl.keyword) \(member.overriddenName)\(requirement)\n}\n")
    rewriter.note(.extensionOverride, decl.name)
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let last = node.inheritanceClause?.inheritedTypes.last else { return .visitChildren }
    for adopted in rewriter.index.firstOverrides(of: node.name.text, in: rewriter.file.module) {
      rewriter.edits.insert(", \(adopted.protocolName)", at: last.type.textRange.upperBound)
    }
    return .visitChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    rename(DeclSyntax(node))
    return .visitChildren
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    rename(DeclSyntax(node))
    return .visitChildren
  }

  private func rename(_ node: DeclSyntax) {
    guard let decl = ForeignMember.Declaration(node),
      let word = decl.modifiers.first(where: { $0.name.text == "override" }),
      let type = node.enclosingTypeName,
      let member = rewriter.index.overriddenMember(
        decl.member(of: type), in: rewriter.file.module)
    else { return }
    let isFirst = rewriter.index.firstOverrides(of: type, in: rewriter.file.module).contains(member)
    if isFirst { rewriter.edits.remove(word.textRange) }
    rewriter.edits.replace(decl.name.textRange, with: member.overriddenName)
    let finder = SuperMemberFinder(member.name)
    finder.walk(node)
    for range in finder.found {
      rewriter.edits.replace(
        range, with: isFirst ? member.inheritedName : "super.\(member.overriddenName)")
    }
    rewriter.note(.extensionOverride, decl.name)
  }
}

/// A member that an extension adds to a class of another module.
struct ForeignMember: Hashable {
  /// The name of the class.
  var type: String
  var name: String
  var labels: [String?]
  var isStatic: Bool
  var isProperty: Bool

  /// The name of the protocol for types that override it.
  var protocolName: String {
    ([type, name] + labels.map { $0 ?? "" }).joined(separator: "_")
  }
  /// The new name of overriding members.
  var overriddenName: String { name + "_overridden" }
  /// The new name of the extension's own implementation.
  var inheritedName: String { name + "_inherited" }

  /// Whether another member has the same name and kind.
  func isLike(_ other: ForeignMember) -> Bool {
    name == other.name && labels == other.labels && isStatic == other.isStatic
      && isProperty == other.isProperty
  }

  /// A function or computed property with a body.
  struct Declaration {
    let name: TokenSyntax
    let modifiers: DeclModifierListSyntax
    let attributes: AttributeListSyntax
    let keyword: String
    /// The text between the name and the body.
    let signature: String
    /// The argument list that forwards the parameters.
    let arguments: String
    /// The keywords that precede a call, such as `try`.
    let effects: String
    /// Whether a property has a setter.
    let isSettable: Bool
    /// The offset after the body's opening brace.
    let bodyStart: Int
    private let labels: [String?]

    init?(_ decl: DeclSyntax) {
      if let function = decl.as(FunctionDeclSyntax.self), let body = function.body {
        let parameters = function.signature.parameterClause.parameters.map { $0 }
        guard !parameters.contains(where: { $0.ellipsis != nil }) else { return nil }
        name = function.name
        modifiers = function.modifiers
        attributes = function.attributes
        keyword = "func"
        signature =
          [
            function.genericParameterClause?.trimmedDescription,
            function.signature.trimmedDescription,
            function.genericWhereClause.map { " " + $0.trimmedDescription },
          ].compactMap { $0 }.joined().replacing("\n", with: " ")
        let handed = parameters.map { parameter in
          let isInOut = parameter.type.trimmedDescription.hasPrefix("inout ")
          let name = (parameter.secondName ?? parameter.firstName).text
          let label = parameter.firstName.text == "_" ? "" : parameter.firstName.text + ": "
          return label + (isInOut ? "&" : "") + name
        }
        arguments = "(\(handed.joined(separator: ", ")))"
        let specifiers = function.signature.effectSpecifiers
        effects =
          (specifiers?.throwsClause == nil ? "" : "try ")
          + (specifiers?.asyncSpecifier == nil ? "" : "await ")
        isSettable = false
        bodyStart = body.leftBrace.textRange.upperBound
        labels = parameters.map { $0.firstName.text == "_" ? nil : $0.firstName.text }
      } else if let variable = decl.as(VariableDeclSyntax.self), variable.bindings.count == 1,
        let binding = variable.bindings.first, let type = binding.typeAnnotation,
        let pattern = binding.pattern.as(IdentifierPatternSyntax.self),
        let block = binding.accessorBlock, let isSettable = Self.isSettable(block)
      {
        name = pattern.identifier
        modifiers = variable.modifiers
        attributes = variable.attributes
        keyword = "var"
        signature = type.trimmedDescription
        arguments = ""
        effects = ""
        self.isSettable = isSettable
        bodyStart = block.leftBrace.textRange.upperBound
        labels = []
      } else {
        return nil
      }
    }

    /// Whether a computed property has a setter; nil for observers, and accessors that throw or wait.
    private static func isSettable(_ block: AccessorBlockSyntax) -> Bool? {
      guard case .accessors(let accessors) = block.accessors else { return false }
      let names = accessors.map(\.accessorSpecifier.text)
      guard accessors.allSatisfy({ $0.body != nil && $0.effectSpecifiers == nil }) else {
        return nil
      }
      return names == ["get"] ? false : names.sorted() == ["get", "set"] ? true : nil
    }

    func member(of type: String) -> ForeignMember {
      ForeignMember(
        type: type, name: name.plainText, labels: labels, isStatic: modifiers.isStatic,
        isProperty: keyword == "var")
    }
  }
}

/// Finds `super.name` expressions, without arguments.
private final class SuperMemberFinder: SyntaxVisitor {
  private let name: String
  private(set) var found: [Range<Int>] = []

  init(_ name: String) {
    self.name = name
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    if node.base?.is(SuperExprSyntax.self) == true, node.declName.baseName.plainText == name {
      found.append(
        node.base.map { $0.textRange.lowerBound..<node.declName.baseName.textRange.upperBound }
          ?? node.textRange)
    }
    return .visitChildren
  }
}
