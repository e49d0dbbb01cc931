import PropertyLists

/// What a decoder met in an object and did not know: kept with the description, and written back.
///
/// The values stay where they are, in the archive that was read; only an archive that holds unknown
/// things is kept in memory for their sake.
final class PreservedContent: Sendable {
  /// A field whose key is not known, or whose value the object's own flags declare absent.
  struct Field: Sendable {
    var key: String
    /// The property list's object that is the value.
    var value: Int
  }

  let source: PreservedArchive
  let fields: [Field]
  /// The object's class, when it only descends from one that is known.
  let archivedClass: ArchiveClass?
  /// A decimal default in the very form the archive had, when the number alone would lose it.
  let decimal: ArchiveDecimal?

  init(
    source: PreservedArchive, fields: [Field], archivedClass: ArchiveClass?,
    decimal: ArchiveDecimal?
  ) {
    self.source = source
    self.fields = fields
    self.archivedClass = archivedClass
    self.decimal = decimal
  }
}

/// An archive from which something is kept, and what its objects became.
final class PreservedArchive: @unchecked Sendable {
  /// A description that an unknown field may refer to.
  enum Known: Hashable, Sendable {
    case model
    case entity(String)
    case property(String, of: String)
  }

  let archive: KeyedArchive
  /// Filled once, when decoding ends and before anyone else sees it.
  fileprivate(set) var known: [Int: Known] = [:]

  init(_ archive: KeyedArchive) {
    self.archive = archive
  }

  func setKnown(_ known: [Int: Known]) {
    self.known = known
  }
}
