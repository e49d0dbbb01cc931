/// Something in a store that isn't as its model, or Core Data's layout, has it.
///
/// ```swift
/// for finding in try StoreCheck.findings(at: url) where finding.severity == .error {
///   print(finding)
/// }
/// ```
public struct StoreFinding: Sendable, Hashable, CustomStringConvertible {
  /// How bad it is.
  public enum Severity: String, Sendable, CaseIterable {
    /// Core Data, or a program that uses it, would go wrong on it.
    case error
    /// Core Data lives with it; it shows that something went wrong before.
    case warning
  }

  /// Which rule is broken.
  public let rule: Rule
  /// The entity, or the table where no entity is meant; nil for the store as a whole.
  public let subject: String?
  /// The property of the entity; nil for none.
  public let property: String?
  /// What is wrong.
  public let message: String
  /// How many rows it is about; 0 when it isn't about rows.
  public let rowCount: Int
  /// The primary keys of the first of these rows, ascending, at most ``exampleLimit``.
  public let rows: [Int64]

  /// How bad it is: as the rule says.
  public var severity: Severity { rule.severity }

  /// How many rows a finding names at most.
  public static let exampleLimit = 5

  init(
    _ rule: Rule, in subject: String? = nil, at property: String? = nil, _ message: String,
    rowCount: Int = 0, rows: [Int64] = []
  ) {
    self.rule = rule
    self.subject = subject
    self.property = property
    self.message = message
    self.rowCount = rowCount
    self.rows = rows
  }

  /// `error: [dangling-key] Book.author: the key leads to no row (2 rows: 4, 9)`.
  public var description: String {
    var text = "\(severity.rawValue): [\(rule.rawValue)] "
    if let subject { text += property.map { "\(subject).\($0): " } ?? "\(subject): " }
    text += message
    guard rowCount > 0 else { return text }
    let keys = rows.map(String.init).joined(separator: ", ")
    let rest = rowCount > rows.count ? ", …" : ""
    return text + " (\(rowCount) \(rowCount == 1 ? "row" : "rows")"
      + (rows.isEmpty ? ")" : ": \(keys)\(rest))")
  }
}
