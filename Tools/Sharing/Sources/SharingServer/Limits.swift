/// What a request may cost.
enum Limits {
  /// The largest body, in bytes: enough for a photograph as Base64.
  static let body = 4 << 20
  /// The most objects of a save, in all its lists.
  static let objects = 1_000
  /// The most members of a to-many relationship.
  static let members = 1_000
  /// The most objects in an answer to a fetch, and how many there are if the question doesn't say.
  static let fetched = 500
  static let fetchedByDefault = 100
  /// The bytes of values after which an answer ends early.
  static let answer = 8 << 20
  /// The most transactions in an answer about changes.
  static let transactions = 200

  /// The longest predicate, in bytes, and how deeply and widely it may be built.
  static let predicate = 4_096
  static let predicateDepth = 10
  static let predicateComparisons = 50
  static let arguments = 1_000
  static let keyPath = 3

  /// The most connections, the bytes that each may send, and the milliseconds that it may be silent.
  static let connections = 64
  static let connectionBytes: UInt64 = 64 << 20
  static let silence: UInt32 = 60_000
  /// How long a request may take, in seconds.
  static let seconds = 60.0
  /// How often a save is tried when others change the same objects at the same moment.
  static let attempts = 8
}
