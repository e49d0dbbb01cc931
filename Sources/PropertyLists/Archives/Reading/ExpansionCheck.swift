/// Verifies that decoding every object of an archive once produces an amount of data in proportion to the file's size.
///
/// Within a property list, one array may be referenced from many places and contain another that is too, so that a
/// small file can expand exponentially when its values are decoded separately. Likewise, a long string may be the key
/// of many objects. Archivers write neither.
struct ExpansionCheck {
  let list: BinaryPropertyList
  /// The most bytes that may be produced in total.
  let limit: Int

  init(_ list: BinaryPropertyList, limits: ArchiveLimits) {
    self.list = list
    limit = limits.expansion(ofFile: list.bytes.count)
  }

  /// Whether the file is known to be harmless without a further pass: no container is shared, and no string is long
  /// enough for repeated uses to matter.
  private var isPlain: Bool {
    guard !list.mayShareContainers else { return false }
    let most = list.referenceCount.multipliedReportingOverflow(by: list.longestLeaf)
    return !most.overflow && most.partialValue <= limit
  }

  /// Checks the objects of an archive.
  ///
  /// - Throws: ``ArchiveError`` naming the object at which the limit was exceeded.
  func check(_ objects: [UInt32]) throws(ArchiveError) {
    if isPlain { return }
    var weights = [Int](repeating: 0, count: list.count)
    var total = 0
    for (number, object) in objects.enumerated() {
      total = Self.sum(total, weight(of: Int(object), &weights))
      guard total <= limit else {
        throw ArchiveError(
          .limitExceeded, "values that stand in many places would take more than \(limit) bytes",
          object: number, offset: list.offset(of: Int(object)))
      }
    }
  }

  /// The bytes that an object occupies when decoded with everything it contains, saturating at `Int.max`.
  ///
  /// The recursion is as deep as the list's nesting, which was bounded when the list was opened.
  private func weight(of object: Int, _ weights: inout [Int]) -> Int {
    if weights[object] != 0 { return weights[object] }
    var weight = 1
    if let elements = list.elements(at: object) {
      for element in elements { weight = Self.sum(weight, self.weight(of: element, &weights)) }
    } else if let (keys, values) = list.dictionary(at: object) {
      for key in keys { weight = Self.sum(weight, self.weight(of: key, &weights)) }
      for value in values { weight = Self.sum(weight, self.weight(of: value, &weights)) }
    } else {
      weight = list.length(of: object)
    }
    weights[object] = weight
    return weight
  }

  private static func sum(_ left: Int, _ right: Int) -> Int {
    let sum = left.addingReportingOverflow(right)
    return sum.overflow ? .max : sum.partialValue
  }
}
