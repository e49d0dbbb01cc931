import Foundation

/// What a page shows, as plain data: a model, its versions, what was found in them, and a store.
///
/// ```swift
/// var report = ReportData(title: "Shop")
/// report.model = ReportData.Model(ModelSchema(model))
/// try Data(ReportPage(report).html().utf8).write(to: url)
/// ```
///
/// Entities are numbered by their places in the model's list. What isn't there is left out of the JSON.
public struct ReportData: Codable, Sendable, Hashable {
  /// What the page is called.
  public var title: String
  /// The model: of several versions the current one, of a store the one that it was made with.
  public var model: Model?
  /// The versions of the model; nil when there is one alone.
  public var versions: Versions?
  /// What was found in the model and in the store.
  public var findings: [Finding] = []
  /// What is in the store.
  public var store: Store?

  /// Creates a report that shows nothing yet.
  public init(title: String) {
    self.title = title
  }

  /// Something that was found, at its place.
  public struct Finding: Codable, Sendable, Hashable {
    /// Who found it: `lint` or `check`.
    public var source: String
    /// `error` or `warning`.
    public var severity: String
    /// The rule that is broken.
    public var rule: String
    /// The name of the entity, or of the table.
    public var entity: String?
    /// The name of the property.
    public var property: String?
    /// What is wrong.
    public var message: String
    /// How many rows of a store it is about.
    public var rowCount: Int?
    /// The keys of the first of these rows.
    public var rows: [Int64]?

    /// Creates a finding.
    public init(
      source: String, severity: String, rule: String, entity: String? = nil,
      property: String? = nil, message: String, rowCount: Int? = nil, rows: [Int64]? = nil
    ) {
      self.source = source
      self.severity = severity
      self.rule = rule
      self.entity = entity
      self.property = property
      self.message = message
      self.rowCount = rowCount
      self.rows = rows
    }
  }

  /// The report as JSON that can stand in a page: nothing in it ends a script, whatever names there are.
  ///
  /// - Throws: `EncodingError`, which no report causes.
  func embeddedJSON() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    var output: [UInt8] = []
    let bytes = try encoder.encode(self)
    output.reserveCapacity(bytes.count + bytes.count / 16)
    for byte in bytes {
      // Between the quotes of JSON alone do these stand.
      switch byte {
      case UInt8(ascii: "<"): output += "\\u003c".utf8
      case UInt8(ascii: ">"): output += "\\u003e".utf8
      case UInt8(ascii: "&"): output += "\\u0026".utf8
      case 0x7F: output += "\\u007f".utf8
      default: output.append(byte)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
