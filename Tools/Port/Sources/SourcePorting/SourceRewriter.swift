import SwiftSyntax

/// One source on its way: its changes, and what is said about them.
final class SourceRewriter {
  let file: SourceFile
  let index: PackageIndex
  let options: PortOptions
  var edits: SourceEdits
  private(set) var notes: [PortNote] = []
  /// Members that must stand in a class's own body.
  var moves: [MovedMember] = []
  /// Members that must stand in the body of a class that the build would generate.
  var generatedMembers: [GeneratedMember] = []
  /// Such classes that are written here, with their members.
  var writtenClasses: [GeneratedClass: String] = [:]
  /// The classes that a program may look for by another name than Swift's.
  var namedClasses: [(name: String, type: String)] = []
  /// The classes that hear of changes by the method that the Objective-C runtime calls.
  var observers: [String] = []
  /// Declarations that stand behind the source's own text.
  var appended: [String] = []
  /// Whether something put in is of the module `CoreData`.
  var needsImport = false
  /// Further imports that the source needs.
  var imports: [String] = []
  /// Whether the source imports that module itself.
  var importsCoreData = false
  /// Frameworks whose stand-ins the target needs.
  var standIns: Set<StandIn> = []

  init(_ file: SourceFile, in index: PackageIndex, options: PortOptions) {
    self.file = file
    self.index = index
    self.options = options
    edits = SourceEdits(file.bytes)
  }

  /// Finds all that has to change, and what can't.
  func rewrite() {
    for visitor in [
      ImportRewriter(self), ConditionRewriter(self), AttributeRewriter(self),
      ManagedDeclarationRewriter(self), LiteralRewriter(self), RequestCastRewriter(self),
      NameRewriter(self), OverrideFinder(self), RuntimeReview(self), TransformerRewriter(self),
      SetLiteralRewriter(self), ValidatorRewriter(self), BridgingCastRewriter(self),
      DynamicPropertyRewriter(self), OptionalRequirementRewriter(self),
      ForeignOverrideRewriter(self),
    ] as [SourceVisitor] {
      visitor.walk(file.tree)
      visitor.finish()
    }
  }

  /// Notes what was rewritten.
  func note(_ kind: PortNote.Kind, _ node: some SyntaxProtocol) {
    add(kind, node, advice: nil)
  }

  /// Notes what is left to the reader.
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

  /// The whole source as it is to be compiled.
  var result: String {
    let path = Self.literal(file.fullPath)
    var text = needsImport && !importsCoreData ? "import CoreData\n" : ""
    text += imports.map { $0 + "\n" }.joined()
    text += "#sourceLocation(file: \(path), line: 1)\n"
    text += String(decoding: edits.result, as: UTF8.self)
    let added = additions
    return added.isEmpty ? text : text + "\n#sourceLocation()\n" + added
  }

  /// What stands behind the source's own text.
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

  /// A string literal of that text.
  static func literal(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}

/// A member of an extension that has to stand in its class.
struct MovedMember {
  /// Where it stands.
  var range: Range<Int>
  var line: Int
  var type: PackageIndex.Class
}

/// What looks for one kind of thing in a source.
class SourceVisitor: SyntaxVisitor {
  let rewriter: SourceRewriter

  init(_ rewriter: SourceRewriter) {
    self.rewriter = rewriter
    super.init(viewMode: .sourceAccurate)
  }

  /// Called after the whole source was walked.
  func finish() {}
}

extension SyntaxProtocol {
  /// The nodes around this one, the nearest first.
  var ancestors: some Sequence<Syntax> {
    sequence(state: parent) { next in
      defer { next = next?.parent }
      return next
    }
  }

  /// The name of the type whose declaration or extension this stands in.
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

  /// Whether a condition on the system or its modules stands around this.
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
