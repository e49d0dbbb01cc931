import SwiftSyntax

/// Rewrites `person.mutableSetValue(forKey: "cars") as? Set<Car>`, and the same cast of a variable that has been
/// initialized with such a call: elsewhere than on Apple's platforms Foundation bridges only sets of its own classes,
/// and this cast yields an empty set.
final class MutableSetCastRewriter: SourceVisitor {
  /// Calls whose sets are Foundation's or Swift's own.
  private static let bridging: Set<String> = ["primitiveValue", "value"]

  private lazy var bindings = SetBindings(in: rewriter.file.tree)

  /// Where a value that is cast comes from.
  private enum Origin {
    case mutableSet(isOptional: Bool)
    case other
    case unknown
  }

  override func visit(_ node: AsExprSyntax) -> SyntaxVisitorContinueKind {
    guard let element = Self.element(ofSet: node.type) else { return .visitChildren }
    // What is cast twice would need parentheses.
    let origin = node.expression.is(AsExprSyntax.self) ? .unknown : origin(of: node.expression)
    switch origin {
    case .mutableSet(let isOptional): rewrite(node, element, isOptional: isOptional)
    case .unknown where node.isBesideMutableSets:
      rewriter.leave(
        .setCast, node,
        "a set made by 'mutableSetValue' becomes empty when it is cast to 'Set': cast its 'allObjects' to an array"
      )
    case .unknown, .other: break
    }
    return .visitChildren
  }

  private func rewrite(_ node: AsExprSyntax, _ element: String, isOptional: Bool) {
    let (start, end) = (node.expression.textRange.lowerBound, node.expression.textRange.upperBound)
    rewriter.edits.insert(isOptional ? "?.allObjects" : ".allObjects", at: end)
    if node.questionOrExclamationMark?.text == "?" {
      rewriter.edits.insert("(", at: start)
      // Parentheses, since the cast may be a condition.
      rewriter.edits.replace(
        node.type.textRange, with: "[\(element)]).map({ Set<\(element)>($0) })")
    } else {
      rewriter.edits.insert("Set<\(element)>(", at: start)
      if node.questionOrExclamationMark == nil {
        rewriter.edits.insert("!", at: node.asKeyword.textRange.upperBound)
      }
      rewriter.edits.replace(node.type.textRange, with: "[\(element)])")
    }
    rewriter.note(.setCast, node)
  }

  /// The `Car` of `Set<Car>`.
  private static func element(ofSet type: TypeSyntax) -> String? {
    let arguments: GenericArgumentClauseSyntax?
    if let type = type.as(IdentifierTypeSyntax.self), type.name.text == "Set" {
      arguments = type.genericArgumentClause
    } else if let type = type.as(MemberTypeSyntax.self), type.name.text == "Set",
      type.baseType.trimmedDescription == "Swift"
    {
      arguments = type.genericArgumentClause
    } else {
      arguments = nil
    }
    return arguments?.arguments.first?.argument.trimmedDescription
  }

  private func origin(of expression: ExprSyntax) -> Origin {
    if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let element = tuple.elements.first
    {
      return origin(of: element.expression)
    }
    if let unwrapped = expression.as(ForceUnwrapExprSyntax.self) {
      guard case .mutableSet = origin(of: unwrapped.expression) else {
        return origin(of: unwrapped.expression)
      }
      return .mutableSet(isOptional: false)
    }
    if let cast = expression.as(AsExprSyntax.self) {
      // It is still the same object.
      return ["NSMutableSet", "NSSet"].contains(cast.type.trimmedDescription)
        ? origin(of: cast.expression) : .unknown
    }
    if expression.is(SubscriptCallExprSyntax.self) || expression.is(ArrayExprSyntax.self) {
      return .other
    }
    if let call = expression.as(FunctionCallExprSyntax.self) {
      if call.makesMutableSet { return .mutableSet(isOptional: false) }
      return call.calledName.map(Self.bridging.contains) == true ? .other : .unknown
    }
    return originOfName(expression)
  }

  private func originOfName(_ expression: ExprSyntax) -> Origin {
    let member = expression.as(MemberAccessExprSyntax.self)?.declName.baseName
    guard let token = member ?? expression.as(DeclReferenceExprSyntax.self)?.baseName else {
      return .unknown
    }
    let name = token.plainText
    let binding = bindings.binding(
      of: name, at: token.textRange.lowerBound, isMember: member != nil)
    if let binding, binding.isMember, let value = binding.value {
      // Only what is certain: members may lead to each other.
      return value.makesMutableSet ? .mutableSet(isOptional: binding.isOptional) : .unknown
    }
    if let binding, !binding.isMember {
      guard let value = binding.value else { return .unknown }
      guard case .mutableSet(let isOptional) = origin(of: value) else { return origin(of: value) }
      return .mutableSet(isOptional: isOptional || binding.isOptional)
    }
    return rewriter.index.isOfManagedClass(name) ? .other : .unknown
  }
}

/// The variables of a source, for finding what one was initialized with.
private final class SetBindings: SyntaxVisitor {
  struct Binding {
    var name: String
    /// The value of the initializer or of the getter; nil if there is none, or more than an expression.
    var value: ExprSyntax?
    var isMember: Bool
    /// Whether the value isn't unwrapped where it is bound, and is optional.
    var isOptional: Bool
    var end: Int
    /// Where the name can be used.
    var scope: Range<Int>
  }

  private var bindings: [Binding] = []

  init(in tree: SourceFileSyntax) {
    super.init(viewMode: .sourceAccurate)
    walk(tree)
  }

  /// The variable that a name means at a place, unless that is uncertain: types may have members of the same name.
  func binding(of name: String, at place: Int, isMember: Bool) -> Binding? {
    let named = bindings.filter { $0.name == name }
    let local = named.filter { !$0.isMember && $0.end <= place && $0.scope.contains(place) }
    // The innermost scope is the one that begins last.
    if !isMember,
      let binding = local.max(by: { ($0.scope.lowerBound, $0.end) < ($1.scope.lowerBound, $1.end) })
    {
      return binding
    }
    let members = named.filter(\.isMember)
    return members.count == 1 ? members.first : nil
  }

  override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
    add(node.pattern, node.initializer?.value ?? node.accessorBlock?.value, node)
    return .visitChildren
  }

  override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
    add(node.pattern, node.initializer?.value, node)
    return .visitChildren
  }

  private func add(_ pattern: PatternSyntax, _ value: ExprSyntax?, _ node: some SyntaxProtocol) {
    guard let name = pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText,
      let scope = node.ancestors.first(where: { node in
        node.is(CodeBlockItemListSyntax.self) || node.is(MemberBlockItemListSyntax.self)
          || node.is(IfExprSyntax.self) || node.is(WhileStmtSyntax.self)
      })
    else { return }
    let isOptional =
      node.is(PatternBindingSyntax.self) && value?.trimmedDescription.contains("?.") == true
    bindings.append(
      Binding(
        name: name, value: value, isMember: scope.is(MemberBlockItemListSyntax.self),
        isOptional: isOptional, end: node.textRange.upperBound, scope: scope.textRange))
  }
}

extension ExprSyntaxProtocol {
  /// Whether this is a call of `mutableSetValue(forKey:)` or `mutableSetValue(forKeyPath:)`.
  fileprivate var makesMutableSet: Bool {
    guard let call = self.as(FunctionCallExprSyntax.self), call.calledName == "mutableSetValue",
      let label = call.arguments.first?.label?.text
    else { return false }
    return label == "forKey" || label == "forKeyPath"
  }
}

extension AccessorBlockSyntax {
  /// The value that a getter returns without doing anything else.
  fileprivate var value: ExprSyntax? {
    let statements: CodeBlockItemListSyntax?
    switch accessors {
    case .getter(let getter): statements = getter
    case .accessors(let list):
      statements = list.first { $0.accessorSpecifier.text == "get" }?.body?.statements
    }
    guard let statements, statements.count == 1, let item = statements.first?.item else {
      return nil
    }
    return item.as(ExprSyntax.self) ?? item.as(ReturnStmtSyntax.self)?.expression
  }
}

extension SyntaxProtocol {
  /// Whether the enclosing function, or property, calls `mutableSetValue`.
  fileprivate var isBesideMutableSets: Bool {
    let body = ancestors.first { node in
      node.is(FunctionDeclSyntax.self) || node.is(InitializerDeclSyntax.self)
        || node.is(AccessorBlockSyntax.self)
    }
    return body?.tokens(viewMode: .sourceAccurate).contains { $0.text == "mutableSetValue" } == true
  }
}
