/// The properties by which two failures are assumed to have the same cause. A smaller program whose failure has others
/// has failed for another reason.
struct Likeness: Equatable {
  private let kind: String
  /// The kind of the failed step; nil for a failure found at the end.
  private let step: String?
  /// The text of an error, where the kind of the failure doesn't identify it.
  private let words: String

  init(_ failure: Failure, of program: Program) {
    kind = failure.kind
    step =
      program.operations.indices.contains(failure.step)
      ? program.operations[failure.step].sort : nil
    words = Self.isVague(failure.kind) ? Self.words(of: failure.text) : ""
  }

  private static func isVague(_ kind: String) -> Bool {
    kind == "setting up" || kind == "reopening" || kind == "error 1" || kind.hasSuffix("error")
      || kind.hasSuffix("impossible")
  }

  /// An error's code, or else the beginning of its text: addresses and names follow later.
  private static func words(of text: String) -> String {
    if let code = text.firstMatch(of: /Code=\d+/) { return String(code.output) }
    return String(text.filter { $0.isLetter || $0.isWhitespace }.prefix(30))
  }
}
