import PropertyLists

/// An archived object of an unknown class, found where any object is allowed: as the default value of a transformable
/// attribute, or as a constant in a predicate.
///
/// It can be copied from one model file to another, and compared: two are equal if they have the same class and equal
/// contents, even if they come from different archives.
public final class UnknownArchivedObject: Sendable, CustomStringConvertible {
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

extension UnknownArchivedObject: Hashable {
  /// Whether two values have equal contents, compared object by object.
  public static func == (left: UnknownArchivedObject, right: UnknownArchivedObject) -> Bool {
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
          guard field.key == match.key, areEqual(field.value, match.value, pending: &pending) else {
            return false
          }
        }
      case (let one, let other):
        guard one == other else { return false }
      }
    }
    return true
  }

  /// Compares two field values, and adds the objects they reference to the pending comparisons.
  private static func areEqual(
    _ left: ArchiveValue, _ right: ArchiveValue, pending: inout [(Int, Int)]
  ) -> Bool {
    switch (left, right) {
    case (.reference(let left), .reference(let right)):
      pending.append((left, right))
      return true
    case (.array(let left), .array(let right)):
      return left.count == right.count
        && zip(left, right).allSatisfy { areEqual($0, $1, pending: &pending) }
    default: return left == right
    }
  }

  /// Hashes the name of the object's class.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(archivedClass.name)
  }
}
