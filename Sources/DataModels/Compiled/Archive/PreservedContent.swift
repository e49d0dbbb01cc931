import PropertyLists

/// The unknown content of a decoded object, kept with its description and written back when the model is archived.
///
/// The values stay in the archive that was read. An archive is kept in memory for this purpose only if it has unknown
/// content.
final class PreservedContent: Sendable {
  /// A field whose key is unknown, or whose value the object's own flags declare absent.
  struct Field: Sendable {
    var key: String
    /// The property list object of the value.
    var value: Int
  }

  let source: PreservedArchive
  let fields: [Field]
  /// The object's class, if it is an unknown subclass of a known class.
  let archivedClass: ArchiveClass?
  /// A default value in the archive's exact form, if the Swift value alone would not preserve it: a decimal's trailing
  /// zeros, or the order of a set.
  let defaultValue: ArchiveFoundationValue?

  init(
    source: PreservedArchive, fields: [Field], archivedClass: ArchiveClass?,
    defaultValue: ArchiveFoundationValue?
  ) {
    self.source = source
    self.fields = fields
    self.archivedClass = archivedClass
    self.defaultValue = defaultValue
  }
}

/// An archive with content to be preserved, and what its objects were decoded to.
///
/// Sendable, since it never changes once decoding has ended.
final class PreservedArchive: @unchecked Sendable {
  /// A description that an unknown field may reference.
  enum Known: Hashable, Sendable {
    case model
    case entity(String)
    case property(String, of: String)
  }

  let archive: KeyedArchive
  /// Set once, when decoding ends and before other threads can access it.
  fileprivate(set) var known: [Int: Known] = [:]

  init(_ archive: KeyedArchive) {
    self.archive = archive
  }

  func setKnown(_ known: [Int: Known]) {
    self.known = known
  }
}
