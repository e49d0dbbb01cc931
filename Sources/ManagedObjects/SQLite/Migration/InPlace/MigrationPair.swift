/// An entity of the old layout and the one of the new layout that goes on with its rows.
struct MigrationPair {
  let old: SchemaEntity
  let new: SchemaEntity
  /// For each attribute of the new entity that goes on with an old one, the old one's name.
  let attributes: [String: String]
  /// For each relationship of the new entity that goes on with an old one, the old one's name.
  let relationships: [String: String]
  /// What is added to the rows' keys: not 0 only where rows of two tables meet in one.
  var shift: Int64 = 0
}
