import Foundation
import ModelSource
import TestSupport

/// Edits of composites, which only sources have: their names, their elements and the order of these, composites that
/// nothing uses, and attributes that use another one.
struct CompositeTextEdits {
  private var random: SeededGenerator
  private let tag: String
  private var counter = 0

  init(seed: UInt64, tag: String) {
    random = SeededGenerator(seed: seed ^ 0xC0_4905)
    self.tag = tag
  }

  /// A copy of a source whose composites aren't named after attributes, as writers name them, with one more that nothing
  /// uses.
  static func named(_ xml: String) throws -> String {
    var document = try SourceDocument(data: Data(xml.utf8), path: "contents")
    for name in names(document.root) { rename(name, to: name + "Kind", in: &document.root) }
    document.root.children.append(composite("Spare", attribute("spare")))
    return document.xml
  }

  /// The names of a source's composites.
  static func names(_ root: SourceElement) -> [String] {
    root.children(named: "composite").compactMap { $0["name"] }
  }

  /// The names of a source's composites.
  static func names(in xml: String) throws -> Set<String> {
    Set(names(try SourceDocument(data: Data(xml.utf8), path: "contents").root))
  }

  /// A changed copy of a source.
  mutating func edited(_ xml: String, tries: Int) throws -> String {
    var document = try SourceDocument(data: Data(xml.utf8), path: "contents")
    for _ in 0..<tries { edit(&document.root) }
    return document.xml
  }

  private static func composite(_ name: String, _ elements: SourceElement...) -> SourceElement {
    SourceElement("composite", [SourceAttribute("name", name)], children: elements)
  }

  private static func attribute(_ name: String) -> SourceElement {
    SourceElement(
      "attribute",
      [
        SourceAttribute("name", name), SourceAttribute("optional", "YES"),
        SourceAttribute("attributeType", "String"),
      ])
  }

  private static func rename(_ name: String, to goal: String, in root: inout SourceElement) {
    for place in root.children.indices {
      if root.children[place].name == "composite", root.children[place]["name"] == name {
        root.children[place]["name"] = goal
      }
      for inner in root.children[place].children.indices
      where root.children[place].children[inner]["composite"] == name {
        root.children[place].children[inner]["composite"] = goal
      }
    }
  }

  private mutating func fresh(_ what: String) -> String {
    counter += 1
    return "\(what)\(tag)\(counter)"
  }

  private mutating func edit(_ root: inout SourceElement) {
    let places = root.children.indices.filter { root.children[$0].name == "composite" }
    guard let place = random.pick(places) else { return }
    switch random.number(0...9) {
    case 0:
      Self.rename(root.children[place]["name"] ?? "", to: fresh("Renamed"), in: &root)
    case 1:
      root.children.append(Self.composite(fresh("Unused"), Self.attribute(fresh("unused"))))
    case 2:
      let entities = root.children.indices.filter { root.children[$0].name == "entity" }
      guard let entity = random.pick(entities) else { return }
      var attribute = Self.attribute(fresh("user"))
      attribute["attributeType"] = "Composite"
      attribute["composite"] = root.children[place]["name"]
      root.children[entity].children.insert(attribute, at: 0)
    default: editElements(of: &root.children[place])
    }
  }

  private mutating func editElements(of composite: inout SourceElement) {
    let place = random.number(0...(max(composite.children.count, 1) - 1))
    guard composite.children.indices.contains(place), !random.chance(30) else {
      let end = composite.children.count
      composite.children.insert(Self.attribute(fresh("element")), at: random.number(0...end))
      return
    }
    switch random.number(0...4) {
    case 0: composite.children.remove(at: place)
    case 1: composite.children.append(composite.children.remove(at: place))
    case 2:
      composite.children[place]["optional"] =
        composite.children[place]["optional"] == nil ? "YES" : nil
    case 3:
      let entry = SourceElement(
        "entry", [SourceAttribute("key", fresh("key")), SourceAttribute("value", "v")])
      if let info = composite.children[place].children.firstIndex(where: { $0.name == "userInfo" })
      {
        composite.children[place].children[info].children.append(entry)
      } else {
        composite.children[place].children.append(SourceElement("userInfo", children: [entry]))
      }
    default: composite.children[place]["versionHashModifier"] = fresh("m")
    }
  }
}
