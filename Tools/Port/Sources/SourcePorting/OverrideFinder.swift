import SwiftSyntax

/// Finds members of extensions that override others or are overridden. In Swift without Objective-C, such members
/// must be in the body of a class.
final class OverrideFinder: SourceVisitor {
  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    for member in node.memberBlock.members {
      guard let (modifiers, attributes, name) = parts(of: member.decl) else { continue }
      let isOverride = modifiers.has("override")
      guard
        isOverride
          || attributes.named("objc") != nil && rewriter.index.overriddenNames.contains(name)
      else { continue }
      guard
        let type = rewriter.index.type(
          named: node.extendedTypeName, in: rewriter.file.module),
        node.genericWhereClause == nil
      else {
        let generated = rewriter.options.generatedClasses.first {
          $0.name == node.extendedTypeName
        }
        if isOverride, let generated {
          rewriter.generatedMembers.append(
            GeneratedMember(
              range: member.textRange, line: rewriter.file.line(of: member), type: generated))
          rewriter.note(.extensionOverride, member)
        } else if isOverride {
          rewriter.leave(
            .extensionOverride, member,
            "'\(name)' can't be overridden in an extension: move it into the class; if that is generated, "
              + "choose Category/Extension for the entity, and write the class")
        }
        continue
      }
      rewriter.moves.append(
        MovedMember(range: member.textRange, line: rewriter.file.line(of: member), type: type))
      rewriter.note(.extensionOverride, member)
    }
    return .visitChildren
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    for member in node.memberBlock.members {
      guard let (modifiers, _, name) = parts(of: member.decl), modifiers.has("override"),
        rewriter.index.foreignMembers.contains(name),
        ForeignMember.Declaration(member.decl).map({
          rewriter.index.overriddenMember(
            $0.member(of: node.name.text), in: rewriter.file.module) == nil
        }) ?? true
      else { continue }
      rewriter.leave(
        .extensionOverride, member,
        "members added to another module's class by an extension can't be overridden: declare '\(name)' in a class of "
          + "the package that others inherit from")
    }
    return .visitChildren
  }

  private func parts(
    of decl: DeclSyntax
  ) -> (DeclModifierListSyntax, AttributeListSyntax, String)? {
    if let function = decl.as(FunctionDeclSyntax.self) {
      return (function.modifiers, function.attributes, function.name.plainText)
    }
    if let variable = decl.as(VariableDeclSyntax.self),
      let name = variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self)
    {
      return (variable.modifiers, variable.attributes, name.identifier.plainText)
    }
    return nil
  }
}

extension SourceRewriter {
  /// Writes classes that the build would otherwise generate, if members must be in their bodies: each in the first
  /// source that has such a member, or a property for key-value coding.
  ///
  /// - Returns: the classes written.
  static func writeGeneratedClasses(of rewriters: [SourceRewriter]) -> Set<String> {
    var owners: [String: SourceRewriter] = [:]
    for rewriter in rewriters {
      for member in rewriter.generatedMembers {
        let text = rewriter.edits.extract(member.range)
        let name = member.type.name
        let owner = owners[name] ?? rewriter
        owners[name] = owner
        owner.writtenClasses[member.type, default: ""] += """
          #sourceLocation(file: \(literal(rewriter.file.fullPath)), line: \(member.line))
          \(text)
          #sourceLocation()

          """
        owner.needsImport = true
      }
    }
    var coded: Set<String> = []
    for rewriter in rewriters {
      for type in rewriter.codedClasses where coded.insert(type.name).inserted {
        let members = rewriter.index.ownCoding(of: type.name, in: rewriter.file.module)
          .members(access: "public ")
        guard !members.isEmpty else { continue }
        let owner = owners[type.name] ?? rewriter
        owners[type.name] = owner
        owner.writtenClasses[type, default: ""] += members.map { $0 + "\n" }.joined()
        owner.needsImport = true
      }
    }
    return Set(owners.keys)
  }

  /// Moves members that must be in a class's body out of their extensions. `rewriters` are those of the package's
  /// sources, by index.
  func moveMembers(into rewriters: [SourceRewriter]) {
    for move in moves {
      let target = rewriters[move.type.file]
      let text = edits.extract(move.range)
      let line = target.file.line(at: move.type.bodyEnd)
      target.edits.insert(
        """

        #sourceLocation(file: \(Self.literal(file.fullPath)), line: \(move.line))
        \(text)
        #sourceLocation(file: \(Self.literal(target.file.fullPath)), line: \(line))

        """, at: move.type.bodyEnd)
    }
  }
}

/// A member of an extension that must be in the body of a generated class.
struct GeneratedMember {
  var range: Range<Int>
  var line: Int
  var type: GeneratedClass
}
