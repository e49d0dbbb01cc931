/// The role of a piece of a report, for colouring.
public enum ReportRole: String, Hashable, Sendable, CaseIterable {
  /// The heading of a group.
  case heading
  /// Something added.
  case added
  /// Something removed.
  case removed
  /// Something changed.
  case changed
  /// Something that causes failure.
  case trouble
  /// Something that may cause failure.
  case warning
  /// Reasons and remarks.
  case note
}

/// Colours a piece of a report, given its role and text.
public typealias ReportPaint = (ReportRole, String) -> String

/// A report of a finding, difference or verdict, in several formats.
public protocol ModelReport {
  /// The report for terminals.
  ///
  /// - Parameter paint: Colours each piece; see ``ReportPaint``.
  func text(paint: ReportPaint) -> String

  /// The report for pull requests.
  var markdown: String { get }

  /// The machine-readable report.
  var json: JSONReport { get }
}

extension ModelReport {
  /// The report for terminals, without colour.
  public var text: String { text { _, text in text } }
}
