extension NSCompositeAttributeDescription {
  /// The deepest nesting of composites that can be used, as in files of models.
  private static var deepestNesting: Int { 64 }
  /// The largest number of elements at all depths.
  private static var mostElements: Int { 100_000 }

  /// Whether the elements can be listed at every depth. False if the composite contains itself, or if it is nested so
  /// deep, or its elements occur in so many places, that doing so would overflow the stack or never end.
  ///
  /// Models from files always are like this; one made in code may be anything.
  package final var hasListableElements: Bool {
    /// The composites of one depth, and how often each occurs there.
    var level = [ObjectIdentifier(self): (composite: self, count: 1)]
    var total = 0
    for _ in 0..<Self.deepestNesting {
      var next: [ObjectIdentifier: (composite: NSCompositeAttributeDescription, count: Int)] = [:]
      for (composite, count) in level.values {
        let (elements, isTooMuch) = composite.elements.count.multipliedReportingOverflow(by: count)
        guard !isTooMuch, elements <= Self.mostElements - total else { return false }
        total += elements
        for case let nested as NSCompositeAttributeDescription in composite.elements {
          next[ObjectIdentifier(nested), default: (nested, 0)].count += count
        }
      }
      if next.isEmpty { return true }
      level = next
    }
    return false
  }
}
