/// Small transactions, and history.
extension TwinWork {
  /// Fetches a person and adds a year in a transaction, provided that nobody else has changed the row.
  func birthday(_ key: Int64) throws {
    var parameters = TwinParameters()
    parameters.append(key)
    let found = try connection.run("key", parameters)
    guard found.count == 1 else {
      throw TwinConnection.Failure(description: "no person \(key)")
    }
    let none = TwinParameters()
    let answers = try connection.runAll([
      ("begin", none), ("change", change(found, key)), ("commit", none),
    ])
    precondition(answers[1].written == 1)
  }

  private func change(_ found: TwinRows, _ key: Int64) -> TwinParameters {
    var parameters = TwinParameters()
    parameters.append(key)
    parameters.append(found.integer(0, 1))
    parameters.append(found.integer(0, 2) + 1)
    return parameters
  }

  func prepareHistory() throws {
    try connection.prepare(
      "birthday", "UPDATE \"Person\" SET age = age + 1, _version = _version + 1 WHERE _id = $1")
    try connection.prepare("next", "UPDATE _momkit_history SET last = last + 1")
    try connection.prepare(
      "transaction",
      "INSERT INTO _momkit_transaction (number) SELECT last FROM _momkit_history")
    try connection.prepare(
      "record",
      "INSERT INTO _momkit_change (transaction, entity, key, kind, properties) "
        + "SELECT last, 'Person', $1, 1, '{age}' FROM _momkit_history")
    try connection.prepare("position", "SELECT last FROM _momkit_history")
    try connection.prepare(
      "last",
      "SELECT t.number, c.number, c.key FROM _momkit_transaction t JOIN _momkit_change c "
        + "ON c.transaction = t.number WHERE t.number > $1 ORDER BY 1, 2")
  }

  /// Adds a year and records it in the history, in one round trip.
  func birthdayWithHistory(_ key: Int64) throws {
    var parameters = TwinParameters()
    parameters.append(key)
    let none = TwinParameters()
    _ = try connection.runAll([
      ("begin", none), ("birthday", parameters), ("next", none), ("transaction", none),
      ("record", parameters), ("commit", none),
    ])
  }

  /// Returns the number of the history's last transaction.
  func position() throws -> Int64 { try connection.run("position").integer(0, 0) }

  /// Reads the only transaction after one.
  func transactions(after number: Int64) throws {
    var parameters = TwinParameters()
    parameters.append(number)
    let found = try connection.run("last", parameters)
    precondition(found.count == 1)
  }
}
