/// Where the lists of ordered relationships end, as far as that is known, so that adding a member to a long list doesn't
/// read all others.
///
/// It stays true as long as no other connection has written; see ``SQLiteEngine/requireSameStore()``. What this
/// connection writes is noted, but for members' deletions: the end of a list is then less than what is known, and a gap
/// in the positions is allowed.
struct OrderEnds {
  /// A list.
  struct Place: Hashable {
    /// The table, and the condition for the members of one owner.
    let rows: String
    /// The column with the positions.
    let order: String
    /// The owner's key.
    let owner: Int64
  }

  /// The limit of what is remembered.
  private static let capacity = 1024

  private var ends: [Place: Int64] = [:]

  /// The last position in a list; nil if that isn't known.
  subscript(place: Place) -> Int64? {
    get { ends[place] }
    set {
      if newValue != nil, ends.count >= Self.capacity, ends[place] == nil { ends = [:] }
      ends[place] = newValue
    }
  }

  /// Forgets everything.
  mutating func forget() { ends = [:] }
}
