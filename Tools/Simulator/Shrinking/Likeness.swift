/// What two failures have in common that are of one cause, as far as that shows: a smaller program that fails
/// otherwise is another failure's.
struct Likeness: Equatable {
  private let kind: String
  /// The sort of the step that failed; nil for what was found at the end.
  private let step: String?
  /// What an error said, where the kind of the failure doesn't say which it was.
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

  /// An error's code, or the first of its words: what follows are addresses and names.
  private static func words(of text: String) -> String {
    if let code = text.firstMatch(of: /Code=\d+/) { return String(code.output) }
    return String(text.filter { $0.isLetter || $0.isWhitespace }.prefix(30))
  }
}

extension Operation {
  /// Which of the cases it is; that of the step itself where it meets a fault.
  fileprivate var sort: String? {
    if case .under(_, let operation) = self { return operation.sort }
    return Mirror(reflecting: self).children.first?.label
  }
}
