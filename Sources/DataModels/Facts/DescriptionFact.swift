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
}
