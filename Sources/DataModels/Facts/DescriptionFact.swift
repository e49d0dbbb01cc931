/// The facts that make up a description of one kind, listed in one place as an enumeration.
///
/// Comparison, listings, difference and merge each use a switch over all cases, so that the compiler points out every
/// place affected by a new one. Boolean settings of properties have their own table, ``PropertySetting``, whose rows
/// determine how each is treated.
package protocol DescriptionFact: CaseIterable, Sendable {
  /// The kind of description.
  associatedtype Subject: AnyObject

  /// The properties of the fact.
  var traits: FactTraits { get }

  /// Whether the fact is equal in two descriptions. Referenced objects are compared by name: they are compared in full
  /// where they are defined, so that cycles terminate and the comparison takes linear time.
  func isSame(_ left: Subject, _ right: Subject) -> Bool
}

extension DescriptionFact {
  /// The name of the first fact in which two descriptions differ; nil when they are equal.
  static func difference(_ left: Subject, _ right: Subject) -> String? {
    allCases.first { !$0.isSame(left, right) }?.traits.name
  }
}

/// The properties of a fact.
package struct FactTraits: Sendable {
  /// Core Data's name.
  package let name: String
  /// The name in differences and merges; nil if the fact isn't reported, or is reported as part of another.
  package let factName: String?
  /// Whether version hashes depend on it.
  package let isHashed: Bool
  /// Why they do or don't.
  package let reason: String

  init(_ name: String, told factName: String?, hash: String) {
    (self.name, self.factName, isHashed, reason) = (name, factName, true, hash)
  }

  init(_ name: String, told factName: String?, noHash: String = "") {
    (self.name, self.factName, isHashed, reason) = (name, factName, false, noHash)
  }

  // Facts reported under Core Data's name.
  init(_ name: String, hash: String) { self.init(name, told: name, hash: hash) }
  init(_ name: String, noHash: String) { self.init(name, told: name, noHash: noHash) }

  // Facts shared by several kinds of descriptions.
  static let renamingIdentifier = FactTraits(
    "renamingIdentifier", noHash: "a renaming identifier only affects migration; it is not hashed")
  static let versionHashModifier = FactTraits(
    "versionHashModifier", hash: "the hash modifier is part of the hash")
  static let userInfo = FactTraits(
    "userInfo", noHash: "user info is not hashed")
  static func ofIndex(_ name: String, told factName: String) -> FactTraits {
    FactTraits(name, told: factName, noHash: "indexes are not hashed")
  }
}
