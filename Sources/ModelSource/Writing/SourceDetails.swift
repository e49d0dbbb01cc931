/// Content that only sources have: the editor's layout, scalar types, generated classes, tool versions, comments, and
/// unknown content.
enum SourceDetails {
  /// How conflicting edits of an attribute that models don't have are resolved.
  enum Settlement {
    /// Not automatically: they are a conflict.
    case nobody
    /// The newer value is used, comparing the numbers in it.
    case newer
    /// Our value is used: positions in the editor's window are not worth a conflict.
    case ours
  }

  private static let details: [String: Set<String>] = [
    "model": [
      "name", "type", "documentVersion", "lastSavedToolsVersion", "systemVersion",
      "minimumToolsVersion", "sourceLanguage", "usedWithCloudKit", "usedWithSwiftData",
      "macOSVersion", "iOSVersion",
    ],
    "entity": ["syncable", "codeGenerationType"],
    "attribute": ["usesScalarValueType", "syncable"],
    "relationship": ["syncable"],
    "fetchedProperty": ["syncable"],
    "configuration": ["usedWithCloudKit"],
    "element": ["positionX", "positionY", "width", "height"],
  ]

  private static let stamps: Set = [
    "documentVersion", "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion",
  ]

  /// Whether models don't have the attribute.
  static func isDetail(attribute: String, of element: String) -> Bool {
    details[element]?.contains(attribute) ?? false
      || SourceVocabulary.entries[element]?.attributes.contains(attribute) != true
  }

  /// Whether an attribute's value is merged from sources: that of a detail, and the composite of an attribute, since
  /// models don't have its name.
  static func isMerged(attribute: String, of element: String) -> Bool {
    isDetail(attribute: attribute, of: element)
      || (element == "attribute" && attribute == "composite")
  }

  /// Whether an element belongs to the editor, or is unknown.
  static func isDetail(_ element: SourceElement) -> Bool {
    isLayout(element) || !isKnown(element)
  }

  /// Whether an element is one that Xcode writes.
  static func isKnown(_ element: SourceElement) -> Bool {
    SourceVocabulary.entries[element.name] != nil
  }

  private static func isLayout(_ element: SourceElement) -> Bool {
    element.name == "elements" || element.name == "element"
  }

  /// How conflicting edits of a detail are resolved.
  static func settlement(of attribute: String, in element: String) -> Settlement {
    if element == "model", stamps.contains(attribute) { return .newer }
    return element == "element" && details[element]?.contains(attribute) == true ? .ours : .nobody
  }

  /// The content of an element that only sources have and that is worth a conflict if the element is removed. This
  /// excludes its position in the editor, and its participation in features that Xcode no longer has.
  ///
  /// - Parameter edited: The element after an edit; what was removed from it is left out.
  // The recursion follows the tree, whose depth is bounded by the parser.
  static func remarks(
    of element: SourceElement, leftIn edited: SourceElement? = nil
  ) -> SourceElement {
    guard isKnown(element) else { return element.withoutOffsets() }
    var result = SourceElement(element.name)
    result.attributes = element.attributes.filter {
      isDetail(attribute: $0.name, of: element.name) && $0.name != "syncable"
        && settlement(of: $0.name, in: element.name) == .nobody
    }.map { SourceAttribute($0.name, $0.value) }
    result.text = element.text
    result.comments = element.comments
    result.innerComments = element.innerComments
    let left = edited?.children.byIdentity
    for (identity, child) in element.children.identified {
      let now = left?[identity]
      if left != nil, now == nil { continue }
      var inner = remarks(of: child, leftIn: now)
      guard isKnown(child) else {
        result.children.append(inner)
        continue
      }
      guard inner.says else { continue }
      // Include the name, so that the subject of the remarks is compared as well.
      inner["name"] = identity.name
      result.children.append(inner)
    }
    return result
  }

  /// Whether a tool version is older than another, comparing the numbers in them: `21A559` is older than `21G72`, and
  /// both are older than `22`. A version without a number (`Automatic`) is older than one with a number.
  static func isOlder(_ one: String, than other: String) -> Bool {
    let (left, right) = (parts(one), parts(other))
    let hasNumbers = (left.contains(where: isNumber), right.contains(where: isNumber))
    if hasNumbers.0 != hasNumbers.1 { return hasNumbers.1 }
    for (left, right) in zip(left, right) where left != right {
      guard isNumber(left), isNumber(right) else { return left < right }
      let (left, right) = (left.drop { $0 == "0" }, right.drop { $0 == "0" })
      if left != right { return (left.count, left) < (right.count, right) }
    }
    return left.count < right.count
  }

  private static func isNumber(_ part: String) -> Bool {
    part.first.map { $0.isASCII && $0.isNumber } ?? false
  }

  /// Runs of digits, and runs of other characters, without dots.
  private static func parts(_ text: String) -> [String] {
    var parts: [String] = []
    var wasDigit: Bool?
    for character in text {
      guard character != "." else {
        wasDigit = nil
        continue
      }
      let isDigit = character.isASCII && character.isNumber
      if isDigit == wasDigit {
        parts[parts.count - 1].append(character)
      } else {
        parts.append(String(character))
      }
      wasDigit = isDigit
    }
    return parts
  }
}

extension SourceElement {
  /// Whether the element has any content.
  fileprivate var says: Bool {
    !attributes.isEmpty || !children.isEmpty || !text.isEmpty || !comments.isEmpty
      || !innerComments.isEmpty
  }
}
