/// What the hashes of an encoder's tables begin with.
///
/// One of the process, so that texts of one hash cannot be made on purpose. No order depends on it.
enum HashSeed {
  static let value = UInt64.random(in: 0 ... .max)
}
