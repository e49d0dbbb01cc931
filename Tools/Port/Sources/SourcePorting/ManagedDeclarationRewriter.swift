import SwiftSyntax

/// Adds to `@NSManaged` declarations the implementations that the Objective-C runtime would resolve.
final class ManagedDeclarationRewriter: SourceVisitor {
  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let attribute = node.attributes.named("NSManaged") else { return .visitChildren }
    rewriter.edits.remove(attribute.textRange)
    let words = words(of: node)
    var type: TypeSyntax?
    // In `var a, b: Int`, the type also applies to the preceding variables.
    for binding in node.bindings.reversed() {
      type = binding.typeAnnotation?.type ?? type
      guard let type, binding.accessorBlock == nil,
        let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
      else { continue }
      let name = pattern.identifier.plainText
      let annotation = binding.typeAnnotation == nil ? ": \(type.trimmedDescription)" : ""
      rewriter.edits.insert(
        annotation + accessors(of: node.attributes.objectiveCName ?? name),
        at: (binding.typeAnnotation?.textRange ?? pattern.textRange).upperBound)
      if let comma = binding.trailingComma {
        // A computed property can't share its declaration with others.
        rewriter.edits.replace(
          comma.textRange, with: "; \(words)" + (comma.trailingTrivia.isEmpty ? " " : ""))
      }
      rewriter.note(.managedProperty, node)
    }
    return .visitChildren
  }

  /// Returns what precedes the name in a declaration of a property: the attributes that are kept, the modifiers and
  /// `var`.
  private func words(of node: VariableDeclSyntax) -> String {
    let attributes = node.attributes.compactMap { $0.as(AttributeSyntax.self) }
      .filter { attribute in
        let name = attribute.attributeName.trimmedDescription
        return name != "NSManaged" && !AttributeRewriter.dropped.contains(name)
      }
      .map { $0.trimmedDescription.replacing("\n", with: " ") }
    let modifiers = node.modifiers.map(\.trimmedDescription)
    return (attributes + modifiers + [node.bindingSpecifier.text]).joined(separator: " ")
  }

  private func accessors(of key: String) -> String {
    // `primitiveName` bypasses what the accessors of `name` do.
    if let primitive = key.wholeMatch(of: /primitive([A-Z].*)/) {
      let key = SourceRewriter.literal(String(primitive.1).decapitalized)
      return " { get { managedPrimitive(\(key)) } set { setManagedPrimitive(newValue, \(key)) } }"
    }
    let key = SourceRewriter.literal(key)
    return " { get { managed(\(key)) } set { setManaged(newValue, \(key)) } }"
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let attribute = node.attributes.named("NSManaged"), node.body == nil else {
      return .visitChildren
    }
    rewriter.edits.remove(attribute.textRange)
    guard let body = body(of: node) else {
      rewriter.edits.insert(
        " { preconditionFailure(\"\(node.name.text): this method has no implementation here\") }",
        at: node.textRange.upperBound)
      rewriter.leave(
        .managedFunction, node,
        "no accessor for to-many relationships has this form: write the body"
      )
      return .visitChildren
    }
    rewriter.edits.insert(" { \(body) }", at: node.textRange.upperBound)
    rewriter.note(.managedFunction, node)
    return .visitChildren
  }

  /// Returns the body of a to-many relationship's accessor, determined by its selector.
  private func body(of node: FunctionDeclSyntax) -> String? {
    let parameters = node.signature.parameterClause.parameters.map { $0 }
    let selector =
      node.attributes.objectiveCName
      ?? ObjectiveCNames.selector(
        node.name.text,
        labels: parameters.map { $0.firstName.text == "_" ? nil : $0.firstName.text })
    let names = parameters.map { ($0.secondName ?? $0.firstName).text }
    func key(_ name: Substring) -> String {
      SourceRewriter.literal(relationship(String(name), of: node))
    }
    func list(_ name: Substring) -> String { "mutableOrderedSetValue(forKey: \(key(name)))" }
    func indexes(_ name: String) -> String { "IndexSet(\(name).map { $0 })" }
    switch names.count {
    case 1:
      if let match = selector.wholeMatch(of: /removeObjectFrom(.+)AtIndex:/) {
        return "\(list(match.1)).removeObject(at: \(names[0]))"
      }
      if let match = selector.wholeMatch(of: /remove(.+)AtIndexes:/) {
        return "\(list(match.1)).removeObjects(at: \(indexes(names[0])))"
      }
      if let match = selector.wholeMatch(of: /add(.+)Object:/) {
        return "addObject(\(names[0]), toRelationshipNamed: \(key(match.1)))"
      }
      if let match = selector.wholeMatch(of: /remove(.+)Object:/) {
        return "removeObject(\(names[0]), fromRelationshipNamed: \(key(match.1)))"
      }
      if let match = selector.wholeMatch(of: /add(.+):/) {
        return "addObjects(\(names[0]), toRelationshipNamed: \(key(match.1)))"
      }
      if let match = selector.wholeMatch(of: /remove(.+):/) {
        return "removeObjects(\(names[0]), fromRelationshipNamed: \(key(match.1)))"
      }
    case 2:
      if let match = selector.wholeMatch(of: /insertObject:in(.+)AtIndex:/) {
        return "\(list(match.1)).insert(\(names[0]), at: \(names[1]))"
      }
      if let match = selector.wholeMatch(of: /insert(.+):atIndexes:/) {
        return "\(list(match.1)).insert(\(names[0]).map { $0 }, at: \(indexes(names[1])))"
      }
      if let match = selector.wholeMatch(of: /replaceObjectIn(.+)AtIndex:withObject:/) {
        return "\(list(match.1)).replaceObject(at: \(names[0]), with: \(names[1]))"
      }
      if let match = selector.wholeMatch(of: /replace(.+)AtIndexes:with.+:/) {
        return
          "\(list(match.1)).replaceObjects(at: \(indexes(names[0])), with: \(names[1]).map { $0 })"
      }
    default: break
    }
    return nil
  }

  /// Returns the relationship that part of a selector refers to: the type's own property of this name, regardless of
  /// the case of the first letter.
  private func relationship(_ name: String, of node: FunctionDeclSyntax) -> String {
    let declared = node.enclosingTypeName.flatMap { rewriter.index.managedNames[$0] } ?? []
    let lowered = name.decapitalized
    return declared.contains(lowered) || !declared.contains(name) ? lowered : name
  }
}

extension String {
  /// The string with a lowercase first letter.
  var decapitalized: String { prefix(1).lowercased() + dropFirst() }
  /// The string with an uppercase first letter. Foundation's `capitalized` also changes other words and letters.
  var withCapitalInitial: String { prefix(1).uppercased() + dropFirst() }
}

/// Swift's rules for names in Objective-C.
enum ObjectiveCNames {
  /// Returns a method's selector. Omitted labels are nil.
  static func selector(_ name: String, labels: [String?]) -> String {
    guard let first = labels.first else { return name }
    let start =
      first.map { label in
        prepositions.contains(where: { label == $0 || label.hasCapital(after: $0) })
          ? name + label.withCapitalInitial : name + "With" + label.withCapitalInitial
      } ?? name
    return start + ":" + labels.dropFirst().map { ($0 ?? "") + ":" }.joined()
  }

  /// Words before which Swift doesn't insert "With".
  private static let prepositions = [
    "above", "after", "along", "alongside", "as", "at", "before", "below", "by", "following", "for",
    "from", "given", "in", "including", "inside", "into", "matching", "of", "on", "passing",
    "preceding", "since", "to", "until", "using", "via", "when", "with", "within",
  ]
}

extension String {
  fileprivate func hasCapital(after prefix: String) -> Bool {
    hasPrefix(prefix) && (dropFirst(prefix.count).first?.isUppercase ?? false)
  }
}
