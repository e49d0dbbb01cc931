/// An object whose methods a `FUNCTION(target, "selector:", …)` or `FETCH(…)` may call.
///
/// There is no Objective-C runtime to find methods by name, so the object says what it answers: a
/// migration manager, an entity migration policy.
public protocol SelectorCallable {
  /// Calls a method.
  ///
  /// `FETCH(request, context, countOnly)` sends `executeFetchRequest:countOnly:` to the context.
  ///
  /// - Throws: ``PredicateFormatError`` of code `unsupported` for a selector it doesn't answer.
  func call(_ selector: String, arguments: [PredicateValue]) throws(PredicateFormatError)
    -> PredicateValue
}
