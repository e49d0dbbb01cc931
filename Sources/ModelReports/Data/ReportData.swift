import DataModels
import Foundation
import ModelEvolution

/// The contents of a report as plain data: a model, its versions, findings, and a store.
///
/// ```swift
/// var report = ReportData(title: "Shop")
/// report.model = ReportData.Model(ModelSchema(model))
/// try Data(ReportPage(report, schema: ModelSchema(model)).html().utf8).write(to: url)
/// ```
///
/// Entities are referred to by their index in the model. Missing values are omitted from the JSON.
public struct ReportData: Codable, Sendable, Hashable {
  /// The title of the page.
  public var title: String
  /// The model: of several versions the current one, for a store the one it was created with.
  public var model: Model?
  /// The versions of the model; nil if there is only one.
  public var versions: Versions?
  /// The findings for the model and the store.
  public var findings: [Finding] = []
  /// The contents of the store.
  public var store: Store?

  /// Creates an empty report.
  public init(title: String) {
    self.title = title
  }

  /// A finding with its location.
  public struct Finding: Codable, Sendable, Hashable {
    /// The source of the finding: `lint` or `check`.
    public var source: String
    /// `error` or `warning`.
    public var severity: String
    /// The violated rule.
    public var rule: String
    /// The name of the entity, or of the table.
    public var entity: String?
    /// The name of the property.
    public var property: String?
    /// What is wrong.
    public var message: String
    /// The number of rows of a store that are affected.
    public var rowCount: Int?
    /// The keys of the first affected rows.
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

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case findings, model, store, title, versions
  }

  /// A part of the report; nil if there is none.
  private func part(_ key: CodingKeys) -> (any Encodable & Sendable)? {
    switch key {
    case .findings: findings
    case .model: model
    case .store: store
    case .title: title
    case .versions: versions
    }
  }

  /// The report as JSON that is safe to embed in a page: it can't end a script element, regardless of the names in it.
  ///
  /// The parts are encoded concurrently; the keys are sorted, as inside the parts.
  ///
  /// - Throws: `EncodingError`; never for a valid report.
  func embeddedJSON() throws -> String {
    let keys = CodingKeys.allCases.sorted { $0.rawValue < $1.rawValue }
    let parts = keys.concurrentMap { key in
      Result { try part(key).map { "\"\(key.rawValue)\":" + (try Self.embedded($0)) } }
    }
    return "{" + (try parts.compactMap { try $0.get() }).joined(separator: ",") + "}"
  }

  /// Encodes a part of a report.
  private static func embedded(_ part: any Encodable) throws -> String {
    let bytes = try JSONText.encoder().encode(part)
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + bytes.count / 16)
    for byte in Array(bytes) {
      // In JSON, these characters only occur inside strings.
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
