extension ExpressionTree {
  /// What a set expression does with its two sides; raw values as archived.
  public enum SetOperation: Int, Hashable, Sendable, CaseIterable {
    /// `UNION`: the elements of either side.
    case union = 5
    /// `INTERSECT`: the elements of both sides.
    case intersect = 6
    /// `MINUS`: the elements of the left side that the right side lacks.
    case minus = 7

    /// The operation as the format language spells it.
    public var keyword: String {
      switch self {
      case .union: "UNION"
      case .intersect: "INTERSECT"
      case .minus: "MINUS"
      }
    }
  }
}
