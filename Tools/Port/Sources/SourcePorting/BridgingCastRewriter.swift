import SwiftSyntax

/// Casts that lead to methods of `NSObject` where everything is an object of Objective-C.
final class BridgingCastRewriter: SourceVisitor {
  /// What is asked of anything there, as the runtime can.
  private static let asked: Set<String> = ["isEqual", "isKind", "isMember"]
  /// Foundation's names that are structures, and no object's text but on Apple's systems.
  private static let names: Set<String> = ["FileAttributeType", "FileProtectionType"]

  /// `(value as AnyObject).isKind(of: type)`: any object has that method there, those of `NSObject` here.
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

  /// `FileProtectionType.complete as NSObject`, as options of stores are given.
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
