import SwiftSyntax

/// `@objc` properties that managed classes compute or store themselves, which key-value coding finds by name on Apple's
/// systems: a transient section name behind `sectionNameKeyPath`, for example.
///
/// The class gets a `value(forKey:)` that reads them, and a `setValue(_:forKey:)` that calls their setters.
final class ComputedKeyRewriter: SourceVisitor {
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let type = rewriter.index.type(named: node.name.text, in: rewriter.file.module),
      rewriter.index.isManaged(type)
    else { return .visitChildren }
    let coding = rewriter.index.ownCoding(of: type.name, in: rewriter.file.module)
    advise(on: coding, node.name)
    let members = coding.members(access: node.modifiers.accessOfOverrides)
    guard !members.isEmpty else { return .visitChildren }
    // At the beginning, because the last member may be on the line of the closing brace.
    rewriter.edits.insert(
      members.map { " \($0);" }.joined(), at: node.memberBlock.leftBrace.textRange.upperBound)
    rewriter.needsImport = true
    rewriter.note(.runtime, node.name)
    return .visitChildren
  }

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    let properties = node.computedProperties(inFile: rewriter.number)
    guard !properties.isEmpty, let name = node.enclosingTypeName else { return .visitChildren }
    let (index, module) = (rewriter.index, rewriter.file.module)
    if let type = index.type(named: name, in: module) {
      if index.isManaged(type),
        let shown = properties.first(where: { index.shows($0, in: type) }),
        let remedy = shown.remedy(in: type)
      {
        advise(remedy, node)
      }
    } else if properties.contains(where: { !$0.isImplicit }),
      // A class may be declared once for each system.
      index.classes[name]?.contains(where: { $0.module == module }) != true
    {
      handle(properties[0], node, inExtensionOf: name)
    }
    return .visitChildren
  }

  /// Handles a member of an extension of a class that no source of the module declares.
  private func handle(
    _ property: ComputedProperty, _ node: VariableDeclSyntax, inExtensionOf name: String
  ) {
    let (index, module) = (rewriter.index, rewriter.file.module)
    if let generated = rewriter.options.generatedClasses.first(where: { $0.name == name }) {
      if let remedy = property.remedy(in: nil) { return advise(remedy, node) }
      if rewriter.codedClasses.insert(generated).inserted {
        advise(on: index.ownCoding(of: name, in: module), node)
      }
      rewriter.note(.runtime, node)
    } else if name == "NSManagedObject" || index.declaresManaged(name, outside: module) {
      // Where classes override it, Objective-C sees it for their sake.
      let member = ForeignMember.Declaration(DeclSyntax(node))?.member(of: name)
      guard member.map(index.isOverridden) != true else { return }
      rewriter.leave(
        .runtime, node,
        "key-value coding doesn't find what an extension adds to another module's class here: declare it in the "
          + "class, or in a class of the package that others inherit from")
    } else if index.modelNames.classes.contains(name) {
      rewriter.leave(
        .runtime, node,
        "key-value coding doesn't find it here: choose Category/Extension for the entity, and write the class"
      )
    }
  }

  /// Notes how key-value coding can find a property that it doesn't find where it stands.
  private func advise(_ remedy: String, _ node: VariableDeclSyntax) {
    rewriter.leave(.runtime, node, "key-value coding doesn't find it here: \(remedy)")
  }

  /// Notes what a class's own methods for key-value coding must do.
  private func advise(on coding: OwnCoding, _ node: some SyntaxProtocol) {
    func list(_ properties: [ComputedProperty]) -> String {
      properties.map { "'\($0.key)'" }.joined(separator: ", ")
    }
    if !coding.unread.isEmpty {
      rewriter.leave(
        .runtime, node,
        "key-value coding asks only the class's own 'value(forKey:)' here: return \(list(coding.unread)) there"
      )
    }
    if !coding.unset.isEmpty {
      rewriter.leave(
        .runtime, node,
        "key-value coding calls only the class's own 'setValue(_:forKey:)' here: set \(list(coding.unset)) there"
      )
    }
  }
}

/// What key-value coding must find in a managed class.
struct OwnCoding {
  /// The properties that an added `value(forKey:)` reads.
  var readable: [ComputedProperty] = []
  /// The properties that an added `setValue(_:forKey:)` sets.
  var settable: [ComputedProperty] = []
  /// The properties that the class's own `value(forKey:)` must read.
  var unread: [ComputedProperty] = []
  /// The properties that the class's own `setValue(_:forKey:)` must set.
  var unset: [ComputedProperty] = []

  /// Returns the methods to add to the class.
  func members(access: String) -> [String] {
    var members: [String] = []
    if !readable.isEmpty {
      let cases = readable.map {
        "case \(SourceRewriter.literal($0.key)): return keyValue(of: self.\($0.name))"
      }
      members.append(
        "\(access)override func value(forKey key: String) -> Any? { switch key { "
          + cases.joined(separator: " ") + " default: return super.value(forKey: key) } }")
    }
    if !settable.isEmpty {
      let cases = settable.map {
        "case \(SourceRewriter.literal($0.key)): if let new = keyValue(value, for: self.\($0.name)) "
          + "{ self.\($0.name) = new; return }"
      }
      members.append(
        "\(access)override func setValue(_ value: Any?, forKey key: String) { switch key { "
          + cases.joined(separator: " ") + " default: break }; super.setValue(value, forKey: key) }"
      )
    }
    return members
  }
}

extension PackageIndex {
  /// Returns what key-value coding must find in a managed class of a module, sorted by keys.
  func ownCoding(of name: String, in module: String) -> OwnCoding {
    let found = computedProperties[ModuleType(module: module, name: name)] ?? []
    let declared = type(named: name, in: module)
    var keys: Set<String> = []
    let visible = found.filter { property in
      shows(property, in: declared) && property.remedy(in: declared) == nil
        && keys.insert(property.key).inserted
    }.sorted { $0.key < $1.key }
    let settable = visible.filter(\.isSettable)
    var coding = OwnCoding()
    if declares("value", labels: ["forKey"], in: name, of: module) {
      coding.unread = visible
    } else {
      coding.readable = visible
    }
    if declares("setValue", labels: [nil, "forKey"], in: name, of: module) {
      coding.unset = settable
    } else {
      coding.settable = settable
    }
    return coding
  }

  /// Whether Objective-C sees a property of a class, or of one that is generated if no source declares it.
  func shows(_ property: ComputedProperty, in type: Class?) -> Bool {
    guard property.isImplicit else { return true }
    // Subclasses inherit the attribute.
    guard let type, superclasses(of: type).contains(where: \.showsMembers) else { return false }
    return property.type.map { represents($0, in: type.module) } ?? true
  }

  /// Whether another module than the given one declares a managed class of this name, and that module doesn't.
  func declaresManaged(_ name: String, outside module: String) -> Bool {
    let found = classes[name] ?? []
    return found.contains(where: isManaged) && !found.contains { $0.module == module }
  }
}
