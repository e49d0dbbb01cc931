/// What an ``ArchiveAssembler`` asks for the fields of an object.
package protocol ArchiveSource {
  /// The program's own word for an object: an instance, or what is needed to make its fields.
  associatedtype Item

  /// The item that stands for a value of one of Foundation's plain classes.
  static func item(for value: ArchiveFoundationValue) -> Item

  /// Puts an object's fields, in the order of its class, and answers its class's number.
  mutating func encode(
    _ item: Item, into assembler: ArchiveAssembler<Self>
  ) throws(ArchiveError) -> Int
}

/// An object as an ``ArchiveAssembler`` tells it from others.
package struct ArchiveIdentity: Hashable, Sendable {
  let index: Int
}
