/// A deviation of a store from its model or from Core Data's schema.
///
/// ```swift
/// for finding in try StoreCheck.findings(at: url) where finding.severity == .error {
///   print(finding)
/// }
/// ```
public struct StoreFinding: Sendable, Hashable, CustomStringConvertible {
  /// The severity of a finding.
  public enum Severity: String, Sendable, CaseIterable {
    /// Core Data, or a program that uses it, would malfunction.
    case error
    /// Core Data tolerates it, but it shows an earlier malfunction.
    case warning
  }

  /// The violated rule.
  public let rule: Rule
  /// The entity, or the table if it belongs to no entity; nil for the store as a whole.
  public let subject: String?
  /// The property of the entity; nil if there is none.
  public let property: String?
  /// The description of the problem.
  public let message: String
  /// The number of rows concerned; 0 if it doesn't concern rows.
  public let rowCount: Int
  /// The primary keys of the first of these rows, ascending, at most ``exampleLimit``.
  public let rows: [Int64]

  /// The severity of the rule.
  public var severity: Severity { rule.severity }

  /// The maximum number of rows that a finding lists.
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
