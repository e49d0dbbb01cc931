/// Text as Foundation tells it apart: unit by unit, where for Swift `é` in one scalar or in two is the
/// same.
struct ExactText: Hashable {
  var text: String

  static func == (left: ExactText, right: ExactText) -> Bool {
    var (left, right) = (left.text, right.text)
    return left.withUTF8 { left in
      right.withUTF8 { left.count == $0.count && left.elementsEqual($0) }
    }
  }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
