/// An immutable list whose elements are read without reference counting or bounds checks. Debug builds check bounds.
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

  /// The number of elements.
  @inline(__always)
  var count: Int { elements.count }

  /// The positions of the elements.
  @inline(__always)
  var indices: Range<Int> { elements.indices }

  @inline(__always)
  subscript(index: Int) -> Element { elements[index] }
}
