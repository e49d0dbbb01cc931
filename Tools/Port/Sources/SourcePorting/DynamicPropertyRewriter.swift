import SwiftSyntax

/// Rewrites `@objc dynamic var` in a package's own classes. The Objective-C runtime makes such properties observable;
/// here, the class adopts a protocol and each property announces its changes.
final class DynamicPropertyRewriter: SourceVisitor {
  /// Class methods that key-value observing calls, which Swift's own classes can't override.
  private static let questions: [String: String] = [
    "automaticallyNotifiesObservers": "true",
    "keyPathsForValuesAffectingValue": "Set<String>()",
  ]

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let type = rewriter.index.type(named: node.name.text, in: rewriter.file.module),
      rewriter.index.tellsOfChanges(type),
      let properties = rewriter.index.dynamicProperties(of: type),
      let inherited = node.inheritanceClause?.inheritedTypes.last
    else { return .visitChildren }
    let isFirst = !rewriter.index.superclasses(of: type).dropFirst()
      .contains(where: rewriter.index.tellsOfChanges)
    if isFirst {
      rewriter.edits.insert(", KeyValueNotifying", at: inherited.type.textRange.upperBound)
    }
    if rewriter.index.observesByName, !properties.isEmpty {
      let entries = properties.sorted().map {
        "\(SourceRewriter.literal($0)): \\\(node.name.text).\($0)"
      }
      let access = node.modifiers.accessOfOverrides
      let (word, before) =
        isFirst ? ("class", "[:]") : ("override class", "super.observableProperties")
      rewriter.edits.insert(
        " \(access)\(word) var observableProperties: [String: AnyKeyPath] { "
          + "(\(before) as [String: AnyKeyPath]).merging([\(entries.joined(separator: ", "))]) { $1 } };",
        at: node.memberBlock.leftBrace.textRange.upperBound)
    }
    rewriter.needsImport = true
    rewriter.note(.observing, node.name)
    return .visitChildren
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    guard node.modifiers.has("dynamic"), !node.modifiers.isStatic, !node.modifiers.has("override"),
      let name = node.enclosingTypeName,
      let type = rewriter.index.type(named: name, in: rewriter.file.module),
      rewriter.index.dynamicProperties(of: type) != nil, node.bindings.count == 1,
      let binding = node.bindings.first,
      let property = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText,
      node.attributes.named("NSManaged") == nil
    else { return .visitChildren }
    tell(of: SourceRewriter.literal(property), in: binding)
    return .visitChildren
  }

  /// Makes a property announce its changes: by property observers if it is stored, otherwise in its setter.
  private func tell(of key: String, in binding: PatternBindingSyntax) {
    let (will, did) = ("keyValueWillChange(\(key))", "keyValueDidChange(\(key))")
    guard let block = binding.accessorBlock else {
      rewriter.edits.insert(
        " { willSet { \(will) } didSet { \(did) } }", at: binding.textRange.upperBound)
      return
    }
    guard case .accessors(let accessors) = block.accessors else { return }
    func accessor(_ name: String) -> AccessorDeclSyntax? {
      accessors.first { $0.accessorSpecifier.text == name }
    }
    if let body = accessor("set")?.body {
      rewriter.edits.insert(
        " \(will); defer { \(did) };", at: body.leftBrace.textRange.upperBound)
      return
    }
    let (willSet, didSet) = (accessor("willSet")?.body, accessor("didSet")?.body)
    guard willSet != nil || didSet != nil else { return }
    let end = block.leftBrace.textRange.upperBound
    if let willSet {
      rewriter.edits.insert(" \(will);", at: willSet.leftBrace.textRange.upperBound)
    } else {
      rewriter.edits.insert(" willSet { \(will) }", at: end)
    }
    if let didSet {
      rewriter.edits.insert(" defer { \(did) };", at: didSet.leftBrace.textRange.upperBound)
    } else {
      rewriter.edits.insert(" didSet { \(did) }", at: end)
    }
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let answer = Self.questions[node.name.text], node.modifiers.isStatic,
      let word = node.modifiers.first(where: { $0.name.text == "override" }),
      let name = node.enclosingTypeName,
      let type = rewriter.index.type(named: name, in: rewriter.file.module),
      !rewriter.index.isManaged(type),
      !rewriter.index.superclasses(of: type).dropFirst().contains(where: {
        rewriter.index.declares(node.name.text, in: $0.name)
      })
    else { return .visitChildren }
    rewriter.edits.remove(word.textRange)
    let calls = SuperCallFinder(node.name.text)
    calls.walk(node)
    for call in calls.found { rewriter.edits.replace(call, with: answer) }
    rewriter.note(.observing, node)
    return .visitChildren
  }
}

/// Finds calls of a superclass's method.
private final class SuperCallFinder: SyntaxVisitor {
  private let name: String
  private(set) var found: [Range<Int>] = []

  init(_ name: String) {
    self.name = name
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    if let member = node.calledExpression.as(MemberAccessExprSyntax.self),
      member.declName.baseName.text == name, member.base?.is(SuperExprSyntax.self) == true
    {
      found.append(node.textRange)
    }
    return .visitChildren
  }
}
