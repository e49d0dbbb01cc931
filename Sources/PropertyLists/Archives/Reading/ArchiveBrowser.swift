/// Lenient access to an archive's objects by number and key: a missing key, or a value of another kind, yields nil.
package struct ArchiveBrowser {
  package let archive: KeyedArchive

  /// Creates a browser for an archive.
  package init(_ archive: KeyedArchive) {
    self.archive = archive
  }

  /// The fields of an instance; empty for anything else.
  package func fields(of number: Int?) -> [String: ArchiveValue] {
    guard case .instance(_, let fields) = object(number) else { return [:] }
    return Dictionary(fields.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
  }

  /// The name of an instance's class.
  package func className(of number: Int) -> String? {
    guard archive.count > number, number > 0 else { return nil }
    return archive.archivedClass(ofObject: number)?.name
  }

  /// The object that a field refers to.
  package func reference(_ value: ArchiveValue?) -> Int? {
    guard case .reference(let number) = value, number > 0, number < archive.count else {
      return nil
    }
    return number
  }

  /// The members of an array, or the values of a dictionary.
  package func members(of value: ArchiveValue?) -> [Int] {
    guard case .array(let members) = fields(of: reference(value))["NS.objects"] else { return [] }
    return members.compactMap(reference)
  }

  /// The entries of a dictionary with string keys.
  package func entries(of value: ArchiveValue?) -> [(key: String, value: Int)] {
    let fields = fields(of: reference(value))
    guard case .array(let keys) = fields["NS.keys"] else { return [] }
    return zip(keys, members(of: value)).compactMap { key, value in
      text(key).map { ($0, value) }
    }
  }

  /// A string, stored either directly or as an object.
  package func text(_ value: ArchiveValue?) -> String? {
    switch resolved(value) {
    case .string(let text): return text
    default:
      guard case .string(let text) = fields(of: reference(value))["NS.string"] else { return nil }
      return text
    }
  }

  /// Bytes, stored either directly or as an object.
  package func bytes(_ value: ArchiveValue?) -> [UInt8]? {
    guard case .data(let bytes) = resolved(value) else { return nil }
    return bytes
  }

  /// A boolean, which some files store as a number.
  package func boolean(_ value: ArchiveValue?) -> Bool? {
    switch resolved(value) {
    case .boolean(let value): value
    case .integer(let value, _): value != 0
    default: nil
    }
  }

  /// An integer of at most 32 bits.
  package func integer(_ value: ArchiveValue?) -> Int? {
    guard case .integer(let value, _) = resolved(value) else { return nil }
    return Int32(exactly: value).map(Int.init)
  }

  private func resolved(_ value: ArchiveValue?) -> ArchiveValue? {
    guard let number = reference(value) else { return value }
    guard case .value(let value) = object(number) else { return nil }
    return value
  }

  private func object(_ number: Int?) -> ArchivedObject {
    guard let number, number > 0, number < archive.count else { return .null }
    return archive.object(at: number)
  }
}
