import SwiftSyntax

/// Rewrites conditional compilation that distinguishes only Apple's platforms.
///
/// Nothing of `#if os(iOS) … #elseif os(macOS) … #endif` would be compiled, and what the following code uses would be
/// missing. The first clause is used instead.
final class ConditionRewriter: SourceVisitor {
  override func visit(_ node: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind {
    let clauses = Array(node.clauses)
    let conditions = clauses.map { $0.condition }
    guard clauses.count > 1, !conditions.contains(where: { $0 == nil }),
      conditions.allSatisfy({ $0.map(isOfOtherSystems) ?? false }), let first = conditions[0]
    else { return .visitChildren }
    let body = clauses[0].elements?.trimmedDescription ?? ""
    guard
      body.firstMatch(of: /\bUI[A-Z]\w+|\bNS(View|Image|Color|Font|Application)\b|\bimport\b/)
        == nil
    else { return .visitChildren }
    rewriter.edits.insert(" || os(Linux)", at: first.textRange.upperBound)
    rewriter.note(.condition, clauses[0].poundKeyword)
    return .visitChildren
  }

  /// Whether a condition requires one of Apple's platforms.
  private func isOfOtherSystems(_ condition: ExprSyntax) -> Bool {
    condition.trimmedDescription.split(separator: "||").allSatisfy { part in
      part.filter { !$0.isWhitespace }
        .wholeMatch(of: /os\((iOS|macOS|OSX|tvOS|watchOS|visionOS)\)/) != nil
    }
  }
}
