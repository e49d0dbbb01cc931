/// A list that never changes, whose elements are found without counting references or looking at bounds; debug builds
/// look.
final class FixedArray<Element> {
  private let elements: UnsafeMutableBufferPointer<Element>

  init(_ list: [Element]) {
    elements = .allocate(capacity: list.count)
    _ = elements.initialize(from: list)
  }

  deinit {
    elements.deinitialize()
    elements.deallocate()
  }

  /// How many elements there are.
  @inline(__always)
  var count: Int { elements.count }

  /// The elements' places.
  @inline(__always)
  var indices: Range<Int> { elements.indices }

  @inline(__always)
  subscript(index: Int) -> Element { elements[index] }
}
