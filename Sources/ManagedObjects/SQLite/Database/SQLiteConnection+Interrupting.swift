import CSQLite

/// A progress handler that may interrupt statements.
private final class ProgressBox {
  let isToEnd: () -> Bool

  init(_ isToEnd: @escaping () -> Bool) { self.isToEnd = isToEnd }
}

extension SQLiteConnection {
  /// Runs `body`, whose statements end with `.interrupted` soon after `isToEnd` returns true.
  func interrupting<Result>(
    when isToEnd: () -> Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    try withoutActuallyEscaping(isToEnd) { isToEnd in
      let question = ProgressBox(isToEnd)
      sqlite3_progress_handler(
        handle, 10_000,
        { context in
          guard let context else { return 0 }
          return Unmanaged<ProgressBox>.fromOpaque(context)._withUnsafeGuaranteedRef {
            $0.isToEnd() ? 1 : 0
          }
        }, Unmanaged.passUnretained(question).toOpaque())
      defer { sqlite3_progress_handler(handle, 0, nil, nil) }
      return try withExtendedLifetime(question) { try body() }
    }
  }
}
