/// What a run of a program gives, step by step, as far as it doesn't contain identities of its own: outcomes, and what the
/// files hold. It must not depend on where objects happen to be in memory, nor on the order of a set.
final class RunTrace {
  private(set) var entries: [(step: Int, text: String)] = []

  func note(_ outcome: Outcome, _ operation: Operation, at step: Int) {
    entries.append((step, "\(operation.text) \(Self.text(outcome))"))
  }

  /// Notes a store's rows, but for history's, which have times.
  func note(_ file: StoreFile, at step: Int) {
    for (table, rows) in file.tables.sorted(by: { $0.key < $1.key }) where table.hasPrefix("Z") {
      let lines = rows.map { row in
        row.sorted { $0.key < $1.key }.map { "\($0.key) \(Self.text($0.value))" }
          .joined(separator: ", ")
      }
      for line in lines.sorted() { entries.append((step, "\(table): \(line)")) }
    }
  }

  /// The first entry in which another run of the same program differs.
  func difference(from other: RunTrace) -> Failure? {
    for (mine, theirs) in zip(entries, other.entries) where mine.text != theirs.text {
      return Failure(
        kind: "not the same again", step: mine.step,
        text: "first  \(mine.text)\nagain  \(theirs.text)")
    }
    guard entries.count != other.entries.count else { return nil }
    return Failure(
      kind: "not the same again", step: entries.last?.step ?? 0,
      text: "\(entries.count) entries, and \(other.entries.count)")
  }

  private static func text(_ outcome: Outcome) -> String {
    switch outcome {
    case .failed(let code, _): "fails with \(code)"
    case .showed(let views):
      views.sorted { $0.key < $1.key }.map { "\($0.key) \(text($0.value))" }
        .joined(separator: "; ")
    case .selected(let rows): rows.map { "{\(list($0))}" }.joined(separator: ", ")
    default: "\(outcome)"
    }
  }

  private static func list<Value>(_ values: [String: Value]) -> String {
    values.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }

  private static func text(_ view: ObjectView) -> String {
    "\(view.entity) \(view.flags) [\(list(view.attributes))] [\(list(view.toOnes))] "
      + "[\(list(view.toManys))]"
  }

  /// The contents of external files have names of their own.
  private static func text(_ value: FileValue) -> String {
    if case .blob(let data) = value { "\(data.count) bytes" } else { "\(value)" }
  }
}
