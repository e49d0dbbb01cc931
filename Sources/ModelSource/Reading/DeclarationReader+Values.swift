import Foundation
import PredicateFormat

extension DeclarationReader {
  // MARK: Texts and numbers

  mutating func name(of element: SourceElement, _ subject: DiagnosticSubject) -> String {
    if let name = element["name"], !name.isEmpty { return name }
    log.add(.missingName, about: subject, "<\(element.name)> has no name")
    return ""
  }

  func nonEmpty(_ text: String) -> String? {
    text.isEmpty ? nil : text
  }

  /// Xcode writes YES and NO, but some files have true and false.
  mutating func boolean(_ attribute: SourceAttribute, _ subject: DiagnosticSubject) -> Bool {
    switch attribute.value {
    case "YES", "true", "1": return true
    case "NO", "false", "0": return false
    default:
      let isTrue = AttributeText.boolValue(attribute.value)
      log.add(
        .invalidValue, about: subject, at: attribute.name,
        "\(attribute.name) is '\(attribute.value)', neither YES nor NO; it counts as "
          + (isTrue ? "YES" : "NO"))
      return isTrue
    }
  }

  mutating func integer(_ attribute: SourceAttribute, _ subject: DiagnosticSubject) -> Int {
    if let number = Int32(attribute.value) { return Int(number) }
    let number = Int32(clamping: LeadingNumber.integer(of: attribute.value).value)
    log.add(
      .invalidValue, about: subject, at: attribute.name,
      "\(attribute.name) is '\(attribute.value)', not an integer of 32 bits; it counts as \(number)"
    )
    return Int(number)
  }

  mutating func real(_ attribute: SourceAttribute, _ subject: DiagnosticSubject) -> Double? {
    if let number = Double(attribute.value), number.isFinite { return number }
    let number = LeadingNumber.finite(attribute.value)
    log.add(
      .invalidValue, about: subject, at: attribute.name,
      "\(attribute.name) is '\(attribute.value)', not a number of seconds; it counts as \(number)")
    return number
  }

  mutating func userInfo(
    _ element: SourceElement, _ subject: DiagnosticSubject
  ) -> [UserInfoEntry] {
    var entries: [UserInfoEntry] = []
    for child in element.children {
      guard child.name == "entry" else {
        unknown(child, in: DiagnosticSubject(element, entity: subject.entity))
        continue
      }
      let entry = DiagnosticSubject(child, entity: subject.entity, property: subject.property)
      checkAttributes(of: child, entry)
      guard let key = child["key"] else {
        log.add(.missingName, about: entry, "the user info entry has no key")
        continue
      }
      entries.append(UserInfoEntry(key: key, value: child["value"] ?? ""))
    }
    return entries
  }

  // MARK: Unknown content

  mutating func checkAttributes(of element: SourceElement, _ subject: DiagnosticSubject) {
    let known = SourceVocabulary.entries[element.name]?.attributes ?? []
    for attribute in element.attributes where !known.contains(attribute.name) {
      unknown(attribute, subject)
    }
  }

  mutating func unknown(_ attribute: SourceAttribute, _ subject: DiagnosticSubject) {
    let element = subject.element.name
    let suggestion = SourceVocabulary.suggestion(forAttribute: attribute.name, of: element)
    log.add(
      .unknownAttribute, about: subject, at: attribute.name,
      "<\(element)> has no attribute '\(attribute.name)'" + didYouMean(suggestion)
        + "; it is kept, and ignored")
  }

  mutating func unknown(_ child: SourceElement, in parent: DiagnosticSubject) {
    let known = SourceVocabulary.entries[parent.element.name]?.children ?? []
    let suggestion = SpellingSuggestion.nearest(to: child.name, among: known)
    log.add(
      .unknownElement,
      about: DiagnosticSubject(child, entity: parent.entity, property: parent.property),
      "<\(child.name)> is not known inside <\(parent.element.name)>" + didYouMean(suggestion)
        + "; it is kept, and ignored")
  }

  func didYouMean(_ suggestion: String?) -> String {
    suggestion.map { " (did you mean '\($0)'?)" } ?? ""
  }
}
