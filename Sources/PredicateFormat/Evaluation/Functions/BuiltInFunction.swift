/// The built-in functions of the predicate format, by selector.
enum BuiltInFunction: String, CaseIterable, Sendable {
  case sum = "sum:"
  case count = "count:"
  case min = "min:"
  case max = "max:"
  case average = "average:"
  case median = "median:"
  case mode = "mode:"
  case stddev = "stddev:"
  case add = "add:to:"
  case subtract = "from:subtract:"
  case multiply = "multiply:by:"
  case divide = "divide:by:"
  case modulus = "modulus:by:"
  case raise = "raise:toPower:"
  case sqrt = "sqrt:"
  case log = "log:"
  case ln = "ln:"
  case exp = "exp:"
  case floor = "floor:"
  case ceiling = "ceiling:"
  case abs = "abs:"
  case trunc = "trunc:"
  case bitwiseAnd = "bitwiseAnd:with:"
  case bitwiseOr = "bitwiseOr:with:"
  case bitwiseXor = "bitwiseXor:with:"
  case leftShift = "leftshift:by:"
  case rightShift = "rightshift:by:"
  case onesComplement = "onesComplement:"
  case uppercase = "uppercase:"
  case lowercase = "lowercase:"
  case canonical = "canonical:"
  case length = "length:"
  case random = "random"
  case randomBelow = "randomn:"
  case now = "now"
  case noIndex = "noindex:"
  case distance = "distanceToLocation:fromLocation:"
  case objectAtIndex = "objectFrom:withIndex:"
  case cast = "castObject:toType:"

  /// Creates the function with a selector.
  init?(selector: String) { self.init(rawValue: selector) }

  /// Creates the function named by a call in text: `sum:` or, without its colons, `sum`, `add`.
  init?(name: some StringProtocol) {
    guard let function = Self.names[String(name)] else { return nil }
    self = function
  }

  /// The allowed numbers of arguments. Aggregates take any number, or one collection.
  var argumentCount: ClosedRange<Int> {
    switch self {
    case .sum, .count, .min, .max, .average, .median, .mode, .stddev: 1...Int.max - 1
    default: colonCount...colonCount
    }
  }

  private var colonCount: Int { rawValue.utf8.count { $0 == UInt8(ascii: ":") } }

  private static let names: [String: BuiltInFunction] = {
    var names: [String: BuiltInFunction] = [:]
    for function in allCases {
      names[function.rawValue] = function
      let bare = String(function.rawValue.prefix { $0 != ":" })
      if names[bare] == nil { names[bare] = function }
    }
    return names
  }()
}
