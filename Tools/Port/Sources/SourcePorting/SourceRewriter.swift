import SwiftSyntax

/// The state of rewriting one source: its edits and notes.
final class SourceRewriter {
  let file: SourceFile
  /// The source's index among those that are ported together.
  let number: Int
  let index: PackageIndex
  let options: PortOptions
  var edits: SourceEdits
  private(set) var notes: [PortNote] = []
  /// Members that must be moved to a class's body.
  var moves: [MovedMember] = []
  /// Members that must be in the body of a generated class.
  var generatedMembers: [GeneratedMember] = []
  /// Generated classes with properties that key-value coding must find by name.
  var codedClasses: Set<GeneratedClass> = []
  /// The generated classes to write in this source, with their members.
  var writtenClasses: [GeneratedClass: String] = [:]
  /// The classes that a program may look up by a name other than Swift's.
  var namedClasses: [(name: String, type: String)] = []
  /// The classes that override the Objective-C runtime's method for key-value observing.
  var observers: [String] = []
  /// Declarations to append to the source.
  var appended: [String] = []
  /// Whether inserted code needs the module `CoreData`.
  var needsImport = false
  /// Further imports that the source needs.
  var imports: [String] = []
  /// Whether the source itself imports `CoreData`.
  var importsCoreData = false
  /// Frameworks whose replacements the target needs.
  var standIns: Set<StandIn> = []

  init(_ file: SourceFile, number: Int, in index: PackageIndex, options: PortOptions) {
    self.file = file
    self.number = number
    self.index = index
    self.options = options
    edits = SourceEdits(file.bytes)
  }

  /// Finds everything that must change, and everything that can't be ported.
  func rewrite() {
    for visitor in [
      ImportRewriter(self), ConditionRewriter(self), AttributeRewriter(self),
      ManagedDeclarationRewriter(self), LiteralRewriter(self), RequestCastRewriter(self),
      NameRewriter(self), OverrideFinder(self), RuntimeReview(self), TransformerRewriter(self),
      SetLiteralRewriter(self), ValidatorRewriter(self), BridgingCastRewriter(self),
      DynamicPropertyRewriter(self), OptionalRequirementRewriter(self),
      ForeignOverrideRewriter(self), PointerRewriter(self),
      PolicySelectorRewriter(self), ComputedKeyRewriter(self), MutableSetCastRewriter(self),
      ErrorArgumentRewriter(self),
    ] as [SourceVisitor] {
      visitor.walk(file.tree)
      visitor.finish()
    }
  }

  /// Adds a note on something that was rewritten.
  func note(_ kind: PortNote.Kind, _ node: some SyntaxProtocol) {
    add(kind, node, advice: nil)
  }

  /// Adds a note on something that needs attention.
  func leave(_ kind: PortNote.Kind, _ node: some SyntaxProtocol, _ advice: String) {
    add(kind, node, advice: advice)
  }

  private func add(_ kind: PortNote.Kind, _ node: some SyntaxProtocol, advice: String?) {
    let text = node.trimmedDescription.split(separator: "\n").first.map(String.init) ?? ""
    notes.append(
      PortNote(
        kind: kind, path: file.path, line: file.line(of: node), text: String(text.prefix(120)),
        advice: advice))
  }

  /// The complete ported source.
  var result: String {
    let path = Self.literal(file.fullPath)
    var text = needsImport && !importsCoreData ? "import CoreData\n" : ""
    text += imports.map { $0 + "\n" }.joined()
    text += "#sourceLocation(file: \(path), line: 1)\n"
    text += String(decoding: edits.result, as: UTF8.self)
    let added = additions
    return added.isEmpty ? text : text + "\n#sourceLocation()\n" + added
  }

  /// The code appended to the source.
  private var additions: String {
    var text = ""
    for (type, members) in writtenClasses.sorted(by: { $0.key.name < $1.key.name }) {
      text += "public class \(type.name): \(type.superclass) {\n\(members)}\n"
    }
    text += observers.map { "extension \($0): KeyValueObserver {}\n" }.joined()
    text += appended.joined()
    guard !namedClasses.isEmpty else { return text }
    let entries = namedClasses.map { "\(Self.literal($0.name)): \($0.type).self" }
    let suffix = file.path.unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        ? String(scalar) : "_"
    }.joined()
    return text + """
      final class NamedClasses_\(suffix): NamedClasses {
        static var classesByName: [String: AnyClass] { [\(entries.joined(separator: ", "))] }
      }

      """
  }

  /// Returns a string literal.
  static func literal(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

/// A member of an extension that must be moved to its class.
struct MovedMember {
  /// Its range in the source.
  var range: Range<Int>
  var line: Int
  var type: PackageIndex.Class
}

/// A visitor that handles one kind of construct.
class SourceVisitor: SyntaxVisitor {
  let rewriter: SourceRewriter

  init(_ rewriter: SourceRewriter) {
    self.rewriter = rewriter
    super.init(viewMode: .sourceAccurate)
  }

  /// Called after the whole source has been visited.
  func finish() {}
}

extension SyntaxProtocol {
  /// The enclosing nodes, innermost first.
  var ancestors: some Sequence<Syntax> {
    sequence(state: parent) { next in
      defer { next = next?.parent }
      return next
    }
  }

  /// The name of the enclosing type or extended type.
  var enclosingTypeName: String? {
    for node in ancestors {
      if let type = node.as(ClassDeclSyntax.self) { return type.name.text }
      if let type = node.as(StructDeclSyntax.self) { return type.name.text }
      if let type = node.as(EnumDeclSyntax.self) { return type.name.text }
      if let type = node.as(ActorDeclSyntax.self) { return type.name.text }
      if let type = node.as(ExtensionDeclSyntax.self) { return type.extendedTypeName }
    }
    return nil
  }

  /// Whether a condition on the platform or its modules encloses the node.
  var isConditionalOnSystem: Bool {
    ancestors.contains { node in
      guard let clause = node.as(IfConfigClauseSyntax.self) else { return false }
      let list = clause.parent?.as(IfConfigClauseListSyntax.self)
      return (list.map(Array.init) ?? [clause]).contains { clause in
        guard let condition = clause.condition?.trimmedDescription else { return false }
        return ["os(", "canImport(", "targetEnvironment("].contains { condition.contains($0) }
      }
    }
  }
}
