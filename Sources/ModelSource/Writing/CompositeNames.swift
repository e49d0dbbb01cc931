/// The names that a source has for its composites. A model keeps the elements of a composite attribute, but not the name
/// of the `<composite>` that they come from; without it, an edit of the elements would be written as another composite,
/// and the edited one would stay as it was.
struct CompositeNames {
  /// What an attribute belongs to.
  enum Holder: Hashable {
    case entity(String)
    case composite(String)
  }

  private struct User: Hashable {
    let holder: Holder
    let attribute: String
  }

  private var users: [User: String] = [:]
  /// The names in use, also those of composites that no attribute uses.
  private(set) var taken: Set<String> = []

  /// Creates names for a model that has none.
  init() {}

  /// Reads the names from the root element of a source.
  init(_ root: SourceElement) {
    for child in root.children {
      guard let name = child["name"] else { continue }
      let holder: Holder
      switch child.name {
      case "entity": holder = .entity(name)
      case "composite":
        holder = .composite(name)
        taken.insert(name)
      default: continue
      }
      for attribute in child.children where attribute.name == "attribute" {
        guard let own = attribute["name"], let composite = attribute["composite"] else { continue }
        users[User(holder: holder, attribute: own)] = composite
      }
    }
  }

  /// The composite that an attribute names.
  func name(for attribute: String, of holder: Holder) -> String? {
    users[User(holder: holder, attribute: attribute)]
  }
}
