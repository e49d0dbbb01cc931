/// What descriptions of one kind say, as an enumeration: the one list of it.
///
/// Comparison, listings, difference and merge each go through the cases with a switch that names them all, so that the
/// compiler points at every place that a new one concerns. Yes-or-no settings of properties have a table of their own,
/// ``PropertySetting``; what one of these is follows from its row.
package protocol DescriptionFact: CaseIterable, Sendable {
  /// What says it.
  associatedtype Subject: AnyObject

  /// What there is to know of the fact.
  var traits: FactTraits { get }

  /// Whether two descriptions say the same. What they refer to is compared by name: the things themselves are compared
  /// where they are defined, so that circles end and the whole takes linear time.
  func isSame(_ left: Subject, _ right: Subject) -> Bool
}

extension DescriptionFact {
  /// The name of the first fact in which two descriptions differ; nil when they say the same.
  static func difference(_ left: Subject, _ right: Subject) -> String? {
    allCases.first { !$0.isSame(left, right) }?.traits.name
  }
}

/// What there is to know of a fact.
package struct FactTraits: Sendable {
  /// Core Data's name.
  package let name: String
  /// The name in differences and merges; nil for what they don't tell, or tell with another.
  package let factName: String?
  /// Whether version hashes cover it.
  package let isHashed: Bool
  /// Why they do or don't.
  package let reason: String

  init(_ name: String, told factName: String?, hash: String) {
    (self.name, self.factName, isHashed, reason) = (name, factName, true, hash)
  }

  init(_ name: String, told factName: String?, noHash: String = "") {
    (self.name, self.factName, isHashed, reason) = (name, factName, false, noHash)
  }

  // What is told by Core Data's name.
  init(_ name: String, hash: String) { self.init(name, told: name, hash: hash) }
  init(_ name: String, noHash: String) { self.init(name, told: name, noHash: noHash) }

  // What descriptions of several kinds say.
  static let renamingIdentifier = FactTraits(
    "renamingIdentifier", noHash: "a renaming identifier guides migration; no hash covers it")
  static let versionHashModifier = FactTraits(
    "versionHashModifier", hash: "the hash modifier is part of the hash")
  static let userInfo = FactTraits(
    "userInfo", noHash: "user info is a note; no hash covers it")
  static func ofIndex(_ name: String, told factName: String) -> FactTraits {
    FactTraits(name, told: factName, noHash: "indexes are not hashed")
  }
}
