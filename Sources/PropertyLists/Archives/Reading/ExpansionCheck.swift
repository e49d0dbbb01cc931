/// Sees to it that making every object of an archive once makes no more than is in proportion to
/// the file.
///
/// Within a property list one array may stand in many places, and hold another that does so too: a
/// small file whose values are without end when they are made one by one. The same holds for a long
/// text that is the key of many objects. Archivers write neither.
struct ExpansionCheck {
  let list: BinaryPropertyList
  /// The bytes that may be made in all.
  let limit: Int

  init(_ list: BinaryPropertyList, limits: ArchiveLimits) {
    self.list = list
    limit = limits.expansion(ofFile: list.bytes.count)
  }

  /// Whether the file can be seen to be harmless without looking at it again: each container has
  /// one place, and no text is so long that many uses of it would matter.
  private var isPlain: Bool {
    guard !list.mayShareContainers else { return false }
    let most = list.referenceCount.multipliedReportingOverflow(by: list.longestLeaf)
    return !most.overflow && most.partialValue <= limit
  }

  /// Checks the objects of an archive.
  ///
  /// - Throws: ``ArchiveError`` that names the object at which the limit was passed.
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

  /// The bytes that an object takes when it is made with all it holds, as far as `Int` reaches.
  ///
  /// The recursion is as deep as the list nests, which was bounded when it was opened.
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
