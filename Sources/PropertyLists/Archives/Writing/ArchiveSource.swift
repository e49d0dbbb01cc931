/// What an ``ArchiveAssembler`` asks for the fields of an object.
package protocol ArchiveSource: AnyObject {
  /// Puts an object's fields, in the order of its class, and answers its class's number.
  func encode(
    _ item: ArchiveItem, into assembler: inout ArchiveAssembler
  ) throws(ArchiveError) -> Int
}

/// The object that a field refers to, in a source's own words.
package enum ArchiveItem: Sendable {
  /// The number under which the source keeps what it needs to make the object's fields.
  case number(Int)
  /// A value of one of Foundation's plain classes; the assembler knows its fields itself.
  case foundation(ArchiveFoundationValue)
}

/// An object as an ``ArchiveAssembler`` tells it from others.
package struct ArchiveIdentity: Hashable, Comparable, BitwiseCopyable, Sendable {
  let index: Int

  package static func < (left: ArchiveIdentity, right: ArchiveIdentity) -> Bool {
    left.index < right.index
  }

  /// A number no other identity of the archive has.
  package var number: Int { index }

  /// One of the identities that were made in a row.
  package func advanced(by count: Int) -> ArchiveIdentity { ArchiveIdentity(index: index + count) }
}
