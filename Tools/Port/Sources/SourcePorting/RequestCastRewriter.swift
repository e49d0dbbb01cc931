import SwiftSyntax

/// Rewrites casts between fetch requests with different result types, between their asynchronous results, and between
/// fetched results controllers, which are one class in Objective-C and several in Swift.
final class RequestCastRewriter: SourceVisitor {
  private static let generic = [
    "NSAsynchronousFetchResult<", "NSFetchRequest<", "NSFetchedResultsController<",
  ]

  override func visit(_ node: AsExprSyntax) -> SyntaxVisitorContinueKind {
    let type = node.type.trimmedDescription
    // Without a mark, it states the type of a new request rather than casting.
    guard node.questionOrExclamationMark != nil,
      Self.generic.contains(where: { type.hasPrefix($0) || type.hasPrefix("CoreData.\($0)") })
    else { return .visitChildren }
    var operand = node.expression
    while true {
      if let inner = operand.as(TryExprSyntax.self)?.expression {
        operand = inner
      } else if let inner = operand.as(AwaitExprSyntax.self)?.expression {
        operand = inner
      } else {
        break
      }
    }
    let end = node.questionOrExclamationMark?.text == "?" ? ")" : ")!"
    rewriter.edits.insert("\(type).converted(from: ", at: operand.textRange.lowerBound)
    rewriter.edits.replace(operand.textRange.upperBound..<node.textRange.upperBound, with: end)
    rewriter.needsImport = true
    rewriter.note(.requestCast, node)
    return .visitChildren
  }

  override func visit(_ node: IsExprSyntax) -> SyntaxVisitorContinueKind {
    if node.type.trimmedDescription.hasPrefix("NSFetchRequest<") {
      rewriter.leave(
        .requestCast, node,
        "requests with different result types are different classes here: use AnyFetchRequest")
    }
    if node.type.trimmedDescription.hasPrefix("NSFetchedResultsController<") {
      rewriter.leave(
        .requestCast, node,
        "controllers with different result types are different classes here: use AnyFetchedResultsController"
      )
    }
    return .visitChildren
  }
}
