/// Builds a graph from the tags of an XML property list, without recursion.
struct XMLPropertyListBuilder {
  /// An array or dictionary whose closing tag has not been reached yet.
  private struct Container {
    var isDictionary: Bool
    var keys: [Int] = []
    var values: [Int] = []
    /// The number, if the dictionary so far is `{"CF$UID": number}`.
    var reference: Int?
    var hasReferenceKey = false
  }

  private var scanner: XMLScanner
  private let limits: PropertyListLimits
  private var graph = PropertyListGraph()
  private var open: [Container] = []

  init(_ scanner: XMLScanner, limits: PropertyListLimits) {
    self.scanner = scanner
    self.limits = limits
  }

  mutating func build() throws(PropertyListError) -> PropertyListGraph {
    guard case .open("plist", let isEmpty) = try scanner.next(), !isEmpty else {
      throw scanner.error("not a property list: the first element is not <plist>")
    }
    var root: Int?
    while true {
      switch try scanner.next() {
      case .open(let name, let isEmpty):
        guard root == nil || !open.isEmpty else {
          throw scanner.error("<plist> contains a second value")
        }
        if let value = try begin(name, isEmpty: isEmpty), try finish(value) { root = value }
      case .close("plist"):
        guard open.isEmpty, let root else { throw scanner.error("</plist> comes too early") }
        guard case .end = try scanner.next() else {
          throw scanner.error("there is something after </plist>")
        }
        graph.root = root
        return graph
      case .close(let name):
        let value = try close(name)
        if try finish(value) { root = value }
      case .end:
        throw scanner.error("<plist> is not closed")
      }
    }
  }

  /// Adds a complete value, or opens a container and returns `nil`.
  private mutating func begin(_ name: String, isEmpty: Bool) throws(PropertyListError) -> Int? {
    guard graph.count < limits.objectCount else {
      throw PropertyListError(
        .limitExceeded, "more than \(limits.objectCount) objects", offset: scanner.offset)
    }
    switch name {
    case "array", "dict":
      guard open.count < limits.depth else {
        throw PropertyListError(
          .limitExceeded, "containers nest more than \(limits.depth) deep", offset: scanner.offset)
      }
      open.append(Container(isDictionary: name == "dict"))
      guard isEmpty else { return nil }
      return try close(name)
    case "key":
      try addKey(isEmpty ? "" : scanner.text(of: name))
      return nil
    case "true", "false":
      if !isEmpty { _ = try scanner.text(of: name) }
      return graph.add(boolean: name == "true")
    default:
      return try add(name, isEmpty ? "" : scanner.text(of: name))
    }
  }

  private mutating func addKey(_ key: String) throws(PropertyListError) {
    let last = open.count - 1
    guard last >= 0, open[last].isDictionary, open[last].keys.count == open[last].values.count
    else { throw scanner.error("<key> is out of place") }
    open[last].hasReferenceKey = open[last].keys.isEmpty && key == "CF$UID"
    open[last].keys.append(graph.add(string: key))
  }

  private mutating func close(_ name: String) throws(PropertyListError) -> Int {
    guard let container = open.last, name == (container.isDictionary ? "dict" : "array") else {
      throw scanner.error("</\(name)> closes nothing")
    }
    open.removeLast()
    guard container.isDictionary else { return graph.add(array: container.values) }
    guard container.keys.count == container.values.count else {
      throw scanner.error("a <key> has no value")
    }
    if container.keys.count == 1, let number = container.reference {
      return graph.add(uid: number)
    }
    return graph.add(dictionary: container.keys, values: container.values)
  }

  /// Adds a value to the innermost container; returns `true` if it is the top-level value.
  private mutating func finish(_ value: Int) throws(PropertyListError) -> Bool {
    let last = open.count - 1
    guard last >= 0 else { return true }
    guard !open[last].isDictionary || open[last].keys.count == open[last].values.count + 1 else {
      throw scanner.error("a value in a <dict> has no <key>")
    }
    open[last].values.append(value)
    if open[last].hasReferenceKey, open[last].values.count == 1,
      case .integer(let number, _) = graph.value(at: value), number >= 0
    {
      open[last].reference = Int(exactly: number)
    }
    return false
  }

  private mutating func add(_ name: String, _ text: String) throws(PropertyListError) -> Int {
    let trimmed = text.trimmingSpace
    switch name {
    case "string":
      return graph.add(string: text)
    case "integer":
      guard let value = Self.integer(trimmed) else { break }
      return (Int128(Int64.min)...Int128(Int64.max)).contains(value)
        ? graph.add(integer: Int(value)) : graph.add(integer: value, width: 16)
    case "real":
      guard let value = Double(trimmed) else { break }
      return graph.add(double: value)
    case "date":
      guard let seconds = ISODate.seconds(trimmed) else { break }
      return graph.add(date: seconds)
    case "data":
      guard let data = Base64.decode(text.utf8) else { break }
      return graph.add(data: data)
    default:
      throw scanner.error("<\(name)> isn't an element of a property list")
    }
    throw scanner.error("<\(name)> contains no such value: \(trimmed.prefix(40))")
  }

  private static func integer(_ text: Substring) -> Int128? {
    let negative = text.hasPrefix("-")
    let digits = text.hasPrefix("-") || text.hasPrefix("+") ? text.dropFirst() : text
    guard digits.count <= 40 else { return nil }
    let isHexadecimal = digits.hasPrefix("0x") || digits.hasPrefix("0X")
    let value =
      isHexadecimal ? Int128(digits.dropFirst(2), radix: 16) : Int128(digits)
    guard let value, value >= 0, value <= Int128(UInt64.max) else { return nil }
    return negative ? -value : value
  }
}

extension String {
  /// The text without leading and trailing white space.
  fileprivate var trimmingSpace: Substring {
    var rest = self[...]
    while let first = rest.utf8.first, XMLScanner.isSpace(first) { rest.removeFirst() }
    while let last = rest.utf8.last, XMLScanner.isSpace(last) { rest.removeLast() }
    return rest
  }
}
