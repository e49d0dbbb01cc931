/// A class that a build generates of an entity that asks for it ("Class Definition").
public struct GeneratedClass: Hashable, Sendable {
  /// The class.
  public var name: String
  /// What it inherits from.
  public var superclass: String

  /// Makes one.
  public init(name: String, superclass: String) {
    self.name = name
    self.superclass = superclass
  }

  /// The classes that a data model asks for, by the text of its `contents`.
  static func classes(ofModel text: String) -> [GeneratedClass] {
    let entities = entities(in: text)
    let names = Dictionary(
      entities.map { ($0.name, $0.className ?? $0.name) }, uniquingKeysWith: { first, _ in first })
    return entities.compactMap { entity in
      guard entity.isWhole, let name = entity.className else { return nil }
      let superclass = entity.parent.flatMap { names[$0] } ?? "NSManagedObject"
      return GeneratedClass(name: name, superclass: superclass)
    }
  }

  /// A data model whose entities have only their properties generated, where their classes are written.
  static func model(_ text: String, withoutClasses written: Set<String>) -> String {
    var result = text
    for entity in entities(in: text).reversed() where entity.isWhole {
      guard let name = entity.className, written.contains(name) else { continue }
      result.replaceSubrange(
        entity.range,
        with: text[entity.range].replacing(
          "codeGenerationType=\"class\"", with: "codeGenerationType=\"category\""))
    }
    return result
  }

  /// What an attribute of an element's first tag says.
  static func attribute(_ name: String, of tag: Substring) -> String? {
    let parts = tag.split(separator: " \(name)=\"", maxSplits: 1)
    return parts.count < 2 ? nil : parts[1].split(separator: "\"").first.map(String.init)
  }

  /// A class's name without the module before it.
  static func withoutModule(_ name: String) -> String {
    name.split(separator: ".").last.map(String.init) ?? name
  }

  private struct Entity {
    var range: Range<String.Index>
    var name: String
    var className: String?
    var parent: String?
    var isWhole: Bool
  }

  private static func entities(in text: String) -> [Entity] {
    text.matches(of: /<entity\b[^>]*>/).map { match in
      func value(_ name: String) -> String? { attribute(name, of: match.output) }
      let className = value("representedClassName").map(withoutModule)
      return Entity(
        range: match.range, name: value("name") ?? "", className: className,
        parent: value("parentEntity"), isWhole: value("codeGenerationType") == "class")
    }
  }
}
