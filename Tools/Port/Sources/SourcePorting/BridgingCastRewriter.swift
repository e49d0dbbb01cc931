import SwiftSyntax

/// Rewrites casts to call methods of `NSObject`, which on Apple's platforms any object has.
final class BridgingCastRewriter: SourceVisitor {
  /// The methods that can be called on any object with the Objective-C runtime.
  private static let asked: Set<String> = ["isEqual", "isKind", "isMember"]
  /// Foundation's string constants that are structures, and bridge to objects only on Apple's platforms.
  private static let names: Set<String> = ["FileAttributeType", "FileProtectionType"]

  /// Rewrites `(value as AnyObject).isKind(of: type)`: there, any object has this method; here, only `NSObject` does.
  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    guard Self.asked.contains(node.declName.baseName.text),
      let tuple = node.base?.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let cast = tuple.elements.first?.expression.as(AsExprSyntax.self),
      cast.questionOrExclamationMark == nil, cast.type.trimmedDescription == "AnyObject"
    else { return .visitChildren }
    rewriter.edits.insert(" as! NSObject", at: cast.textRange.upperBound)
    rewriter.note(.runtime, node)
    return .visitChildren
  }

  /// Rewrites `FileProtectionType.complete as NSObject`, as used in store options.
  override func visit(_ node: AsExprSyntax) -> SyntaxVisitorContinueKind {
    guard node.questionOrExclamationMark == nil,
      ["AnyObject", "NSObject", "NSString"].contains(node.type.trimmedDescription),
      let name = node.expression.as(MemberAccessExprSyntax.self)?.base?.trimmedDescription,
      Self.names.contains(name)
    else { return .visitChildren }
    rewriter.edits.insert(".rawValue", at: node.expression.textRange.upperBound)
    rewriter.edits.replace(node.type.textRange, with: "NSString")
    rewriter.note(.runtime, node)
    return .visitChildren
  }
}
