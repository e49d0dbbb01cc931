import Foundation
import KeyedArchive
import ManagedModel

/// The orders in which momc writes the contents of a model's dictionaries.
///
/// They are the orders of Foundation's hash tables after momc's own copying about: sorted names put
/// into one dictionary, its contents into another. The same names always come out in the same order,
/// whatever order they had in the model.
enum ModelOrder {
  /// Names in the order in which momc starts: by letters without case, then as they are.
  static func sortedByName(_ names: [String]) -> [Int] {
    let folded = names.map { $0.lowercased() }
    return names.indices.sorted {
      folded[$0] == folded[$1] ? names[$0] < names[$1] : folded[$0] < folded[$1]
    }
  }

  /// The order of the entities, and of fetch request templates and configurations.
  static func entities(_ names: [String]) -> [Int] {
    grown(grown(sortedByName(names), names), names)
  }

  /// The order of a user info dictionary.
  static func userInfo(_ keys: [String]) -> [Int] {
    grown(sortedByName(keys), keys)
  }

  /// The order of all entities that have a superentity; their dictionaries are filled in it.
  static func children(_ names: [String]) -> [Int] {
    grown(sortedByName(names), names)
  }

  /// The order of one entity's subentities, given in the order of ``children(_:)``.
  static func subentities(_ names: [String]) -> [Int] {
    CoreFoundationOrder.grown(names)
  }

  /// The order of an entity's own properties: attributes, relationships, fetched properties, each
  /// kind by name.
  static func properties(_ properties: [NSPropertyDescription]) -> [Int] {
    let names = properties.map(\.storedName)
    let ranks = properties.map { property in
      switch property {
      case is NSRelationshipDescription: 1
      case is NSFetchedPropertyDescription: 2
      default: 0
      }
    }
    let sorted = properties.indices.sorted {
      ranks[$0] == ranks[$1] ? names[$0] < names[$1] : ranks[$0] < ranks[$1]
    }
    return grown(sorted, names)
  }

  private static func grown(_ positions: [Int], _ names: [String]) -> [Int] {
    CoreFoundationOrder.grown(positions.map { names[$0] }).map { positions[$0] }
  }
}
