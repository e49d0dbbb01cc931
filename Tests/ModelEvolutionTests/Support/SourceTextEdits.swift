import Foundation
import ModelSource
import TestSupport

/// Edits of content that only sources have: comments in every position, unknown attributes and elements, scalar
/// types, stamps, positions in the editor.
///
/// Everything inserted has a unique token, such as `[O3]`, by which it can be found.
struct SourceTextEdits {
  private var random: SeededGenerator
  private let tag: String
  private var counter = 0

  init(seed: UInt64, tag: String) {
    random = SeededGenerator(seed: seed ^ 0x7EC7_ED17)
    self.tag = tag
  }

  /// Returns the tokens in a text, with the number of their occurrences.
  static func tokens(in text: String) -> [String: Int] {
    var counts: [String: Int] = [:]
    for part in text.utf8.split(separator: UInt8(ascii: "[")).dropFirst() {
      guard let end = part.firstIndex(of: UInt8(ascii: "]")), let tag = part.first,
        "BOT".utf8.contains(tag), part[..<end].dropFirst().allSatisfy({ (48...57).contains($0) })
      else { continue }
      counts[String(decoding: part[..<end], as: UTF8.self), default: 0] += 1
    }
    return counts
  }

  /// A changed copy of a source.
  mutating func edited(_ xml: String, tries: Int) throws -> String {
    var document = try SourceDocument(data: Data(xml.utf8), path: "contents")
    for _ in 0..<tries {
      if random.chance(8) {
        document.trailingComments = editedComments(document.trailingComments)
      } else {
        edit(&document.root, depth: 0)
      }
    }
    return document.xml
  }

  private mutating func token() -> String {
    counter += 1
    return "[\(tag)\(counter)]"
  }

  private mutating func edit(_ element: inout SourceElement, depth: Int) {
    let isDeeper = depth == 0 ? 85 : 60
    if !element.children.isEmpty, random.chance(isDeeper) {
      let place = random.number(0...(element.children.count - 1))
      edit(&element.children[place], depth: depth + 1)
      return
    }
    let choice = random.number(0...9)
    // Lists for the model's content appear and disappear with it, whichever side removed the last element.
    if ["uniquenessConstraints", "compoundIndexes", "userInfo"].contains(element.name) { return }
    switch choice {
    case 0...2: element.comments = editedComments(element.comments)
    case 3: element.innerComments = editedComments(element.innerComments)
    case 4...6: editAttribute(of: &element)
    case 7, 8: editUnknown(in: &element)
    default: editDetail(of: &element)
    }
  }

  private mutating func editedComments(_ comments: [String]) -> [String] {
    var comments = comments
    if comments.isEmpty || random.chance(40) {
      comments.insert(" \(token()) ", at: random.number(0...comments.count))
    } else {
      let place = random.number(0...(comments.count - 1))
      if random.chance(30) { comments.remove(at: place) } else { comments[place] = token() }
    }
    return comments
  }

  private mutating func editAttribute(of element: inout SourceElement) {
    let name = "note\(random.number(1...2))"
    element[name] = element[name] != nil && random.chance(30) ? nil : token()
  }

  private mutating func editUnknown(in element: inout SourceElement) {
    let places = element.children.indices.filter { element.children[$0].name == "memo" }
    if let place = random.pick(places), random.chance(60) {
      switch random.number(0...2) {
      case 0: element.children.remove(at: place)
      case 1 where element.children[place].children.isEmpty: element.children[place].text = token()
      default: element.children[place]["why"] = token()
      }
      return
    }
    var memo = SourceElement("memo", text: token())
    if random.chance(60) { memo["name"] = random.chance(50) ? "m\(random.number(1...3))" : token() }
    if random.chance(30) {
      memo.children = [SourceElement("inside", [SourceAttribute("said", token())])]
      memo.text = ""
    }
    let isNew = memo["name"].map { name in
      !element.children.contains { $0.name == "memo" && $0["name"] == name }
    }
    if isNew ?? true {
      element.children.insert(memo, at: random.number(0...element.children.count))
    }
  }

  private mutating func editDetail(of element: inout SourceElement) {
    switch element.name {
    case "model": element["lastSavedToolsVersion"] = "\(random.number(900...1100))"
    case "entity": element["codeGenerationType"] = random.chance(50) ? "class" : "category"
    case "attribute": element["usesScalarValueType"] = random.chance(50) ? "YES" : "NO"
    default: break
    }
  }
}
