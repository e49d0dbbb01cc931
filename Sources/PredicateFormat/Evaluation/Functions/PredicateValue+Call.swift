extension PredicateValue {
  /// The value of `FUNCTION(self, "selector:", argument…)`.
  ///
  /// All values respond to `valueForKey:` and `valueForKeyPath:`, and to selectors without arguments that are one of
  /// their keys; dates to `dateByAddingTimeInterval:` and `timeIntervalSinceDate:`. Other selectors are sent to objects
  /// that are ``SelectorCallable``.
  func call(
    _ selector: String, _ arguments: [PredicateValue]
  ) throws(PredicateFormatError) -> PredicateValue {
    if case .object(let object) = self, let callable = object.base as? any SelectorCallable {
      return try callable.call(selector, arguments: arguments)
    }
    if isNothing { return .null }
    switch (selector, arguments.first) {
    // As in SQL, where these are sums and differences.
    case ("dateByAddingTimeInterval:", let value?) where value.isNothing: return .null
    case ("timeIntervalSinceDate:", let value?) where value.isNothing: return .null
    case ("valueForKey:", .string(let key)?): return try value(forKey: key)
    case ("valueForKeyPath:", .string(let path)?):
      return try PreparedKeyPath(path).value(from: self)
    case ("dateByAddingTimeInterval:", let seconds?):
      if case .date(let date) = self, let seconds = NumericValue(seconds) {
        return .date(date.addingTimeInterval(seconds.double))
      }
      throw PredicateFormatError(.unsupported, "\(kind) doesn't respond to '\(selector)'")
    case ("timeIntervalSinceDate:", .date(let other)?):
      if case .date(let date) = self { return .double(date.timeIntervalSince(other)) }
      throw PredicateFormatError(.unsupported, "\(kind) doesn't respond to '\(selector)'")
    default:
      guard arguments.isEmpty else {
        throw PredicateFormatError(.unsupported, "\(kind) doesn't respond to '\(selector)'")
      }
      return try value(forKey: selector)
    }
  }
}

/// An object whose methods can be called by `FUNCTION(target, "selector:", …)` or `FETCH(…)`.
///
/// Without the Objective-C runtime, methods can't be found by name, so objects such as migration managers and entity
/// migration policies dispatch selectors themselves.
public protocol SelectorCallable {
  /// Calls a method.
  ///
  /// `FETCH(request, context, countOnly)` sends `executeFetchRequest:countOnly:` to the context.
  ///
  /// - Throws: ``PredicateFormatError`` of code `unsupported` for a selector that the object doesn't respond to.
  func call(_ selector: String, arguments: [PredicateValue]) throws(PredicateFormatError)
    -> PredicateValue
}
