import KeyedArchive

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

/// An archived object of a class that is not known, as it is found in a place for any object: the
/// default value of a transformable attribute, a constant of a predicate.
///
/// It can be carried from one model file to another, and compared: two are equal when they are of one
/// class and hold equal things, whatever archive they are from.
public final class ArchivedValue: Sendable, CustomStringConvertible {
  let source: PreservedArchive
  let number: Int

  init(source: PreservedArchive, number: Int) {
    self.source = source
    self.number = number
  }

  /// The object's class, as the archive describes it.
  public var archivedClass: ArchiveClass {
    source.archive.archivedClass(ofObject: number) ?? ArchiveClass(chain: [])
  }

  /// The name of the object's class in angle brackets.
  public var description: String { "<\(archivedClass.name)>" }
}

extension ArchivedValue: Hashable {
  /// Whether two values hold the same, object by object.
  public static func == (left: ArchivedValue, right: ArchivedValue) -> Bool {
    if left === right { return true }
    var matched: [Int: Int] = [:]
    var pending = [(left.number, right.number)]
    while let (one, other) = pending.popLast() {
      if let known = matched[one] {
        guard known == other else { return false }
        continue
      }
      matched[one] = other
      switch (left.source.archive.object(at: one), right.source.archive.object(at: other)) {
      case (.instance(let type, let fields), .instance(let otherType, let others)):
        guard type == otherType, fields.count == others.count else { return false }
        for (field, match) in zip(fields, others) {
          guard field.key == match.key, areEqual(field.value, match.value, &pending) else {
            return false
          }
        }
      case (let one, let other):
        guard one == other else { return false }
      }
    }
    return true
  }

  /// Compares two values of fields, and puts the objects they refer to among those to be compared.
  private static func areEqual(
    _ left: ArchiveValue, _ right: ArchiveValue, _ pending: inout [(Int, Int)]
  ) -> Bool {
    switch (left, right) {
    case (.reference(let left), .reference(let right)):
      pending.append((left, right))
      return true
    case (.array(let left), .array(let right)):
      return left.count == right.count
        && zip(left, right).allSatisfy { areEqual($0, $1, &pending) }
    default: return left == right
    }
  }

  /// Hashes the name of the object's class.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(archivedClass.name)
  }
}
