/// A class that the build generates for an entity with the code generation option "Class Definition".
public struct GeneratedClass: Hashable, Sendable {
  /// The name of the class.
  public var name: String
  /// The name of its superclass.
  public var superclass: String

  /// Creates a description of a generated class.
  public init(name: String, superclass: String) {
    self.name = name
    self.superclass = superclass
  }

  /// Returns the classes to generate for a data model, given the text of its `contents` file.
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

  /// Returns a data model in which only properties are generated for entities whose classes are written.
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

  /// Returns the value of an attribute in an element's start tag.
  static func attribute(_ name: String, of tag: Substring) -> String? {
    let parts = tag.split(separator: " \(name)=\"", maxSplits: 1)
    return parts.count < 2 ? nil : parts[1].split(separator: "\"").first.map(String.init)
  }

  /// Returns a class name without its module.
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
