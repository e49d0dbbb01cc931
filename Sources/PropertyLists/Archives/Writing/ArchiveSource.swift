/// Provides an ``ArchiveAssembler`` with the fields of objects.
package protocol ArchiveSource: AnyObject {
  /// Adds an object's fields, in the order of its class, and returns its class's number.
  func encode(
    _ item: ArchiveItem, into assembler: inout ArchiveAssembler
  ) throws(ArchiveError) -> Int
}

/// The object that a field refers to, as identified by its source.
package enum ArchiveItem: Sendable {
  /// The number under which the source stores the data for the object's fields.
  case number(Int)
  /// A value of one of Foundation's plain classes, whose fields the assembler derives itself.
  case foundation(ArchiveFoundationValue)
}

/// The identity of an object in an ``ArchiveAssembler``.
package struct ArchiveIdentity: Hashable, Comparable, BitwiseCopyable, Sendable {
  let index: Int

  package static func < (left: ArchiveIdentity, right: ArchiveIdentity) -> Bool {
    left.index < right.index
  }

  /// A number that is unique among the archive's identities.
  package var number: Int { index }

  /// Returns one of several identities that were created together.
  package func advanced(by count: Int) -> ArchiveIdentity { ArchiveIdentity(index: index + count) }
}
