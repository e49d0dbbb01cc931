extension [StoredValue] {
  /// A list of the values that `make` makes.
  init<Failure: Error>(
    makingRow count: Int, by make: (RowRoom) throws(Failure) -> Void
  ) throws(Failure) {
    var failure: Failure?
    self.init(unsafeUninitializedCapacity: count) { buffer, made in
      guard let base = buffer.baseAddress, count > 0 else { return }
      do throws(Failure) {
        try make(RowRoom(base, count: count))
        made = count
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}
