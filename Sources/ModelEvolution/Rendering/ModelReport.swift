/// What a piece of a report is, for who colours it.
public enum ReportRole: String, Hashable, Sendable, CaseIterable {
  /// A name that heads a group.
  case heading
  /// What is new.
  case added
  /// What is gone.
  case removed
  /// What says something else.
  case changed
  /// What breaks something.
  case trouble
  /// What may break something.
  case warning
  /// Reasons and remarks.
  case note
}

/// How pieces of a report are coloured; it gets a piece's role and text, and gives what is printed.
public typealias ReportPaint = (ReportRole, String) -> String

/// A finding, a difference or a verdict in the forms it can be shown in.
public protocol ModelReport {
  /// The report for people at a terminal.
  ///
  /// - Parameter paint: colours each piece; see ``ReportPaint``.
  func text(paint: ReportPaint) -> String

  /// The report for a pull request.
  var markdown: String { get }

  /// The report for programs.
  var json: JSONReport { get }
}

extension ModelReport {
  /// The report for people, without colour.
  public var text: String { text { _, text in text } }
}
