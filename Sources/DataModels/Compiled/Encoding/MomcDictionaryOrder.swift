import Foundation
import PropertyLists

/// The orders in which momc writes the contents of a model's dictionaries.
///
/// They result from Foundation's hash tables and from the way momc copies its dictionaries: sorted names are inserted
/// into one dictionary, whose contents are inserted into another. The order of a set of names is always the same,
/// regardless of their order in the model.
struct MomcDictionaryOrder {
  /// How the archive's strings are hashed.
  var style = ModelClasses.style
  /// Whether the dictionaries of properties and subentities are copied once more.
  var copiesMembers = false

  /// Sorts names as momc does initially: case-insensitively, then by their exact characters.
  static func sortedByName(_ names: [String]) -> [Int] {
    let folded = names.map { $0.lowercased() }
    return names.indices.sorted {
      folded[$0] == folded[$1] ? names[$0] < names[$1] : folded[$0] < folded[$1]
    }
  }

  /// The order of the entities, and of fetch request templates and configurations.
  func entities(_ names: [String]) -> [Int] {
    grown(grown(Self.sortedByName(names), names), names)
  }

  /// The order of a user info dictionary.
  func userInfo(_ keys: [String]) -> [Int] {
    grown(Self.sortedByName(keys), keys)
  }

  /// The order of all entities that have a superentity, which is the order in which their dictionaries are filled.
  func children(_ names: [String]) -> [Int] {
    grown(Self.sortedByName(names), names)
  }

  /// The order of one entity's subentities, given in the order of ``children(_:)``.
  func subentities(_ names: [String]) -> [Int] {
    copied(grown(Array(names.indices), names), names)
  }

  /// The order of an entity's own properties: attributes, relationships and fetched properties, each sorted by name.
  func properties(_ properties: [NSPropertyDescription]) -> [Int] {
    var members: [Member] = []
    members.reserveCapacity(properties.count)
    for (position, property) in properties.enumerated() {
      members.append(Member(property, position))
    }
    members.sort { left, right in
      if left.rank != right.rank { return left.rank < right.rank }
      if left.isPlain && right.isPlain && left.beginning != right.beginning {
        return left.beginning < right.beginning
      }
      return properties[left.position].storedName < properties[right.position].storedName
    }
    let order = CoreFoundationOrder.grown(hashes: members.map { style.cut($0.hash) })
      .map { members[$0].position }
    return copiesMembers ? copied(order, properties.map(\.storedName)) : order
  }

  /// The sort key of a property. For most names, comparing the first bytes is enough.
  private struct Member {
    var rank: UInt8
    /// Whether the name's bytes sort in the same order as its characters.
    var isPlain: Bool
    /// The first sixteen bytes of the name, as a big-endian number.
    var beginning: UInt128
    var hash: UInt64
    var position: Int

    init(_ property: NSPropertyDescription, _ position: Int) {
      rank = MomcDictionaryOrder.rank(of: property)
      var name = property.storedName
      let hash: UInt64?
      (hash, beginning) = name.withUTF8 { utf8 in
        var beginning: UInt128 = 0
        withUnsafeMutableBytes(of: &beginning) { $0.copyBytes(from: utf8.prefix(16)) }
        return (CoreFoundationOrder.hash(ofShortASCII: utf8), beginning.bigEndian)
      }
      isPlain = hash != nil
      self.hash = hash ?? CoreFoundationOrder.hash(name)
      self.position = position
    }
  }

  /// The rank of a property's kind: attributes, relationships, fetched properties.
  static func rank(of property: NSPropertyDescription) -> UInt8 {
    // Nearly all properties are of these two classes, for which no subclass checks are needed.
    let type = type(of: property)
    if type == NSAttributeDescription.self { return 0 }
    if type == NSRelationshipDescription.self { return 1 }
    return switch property {
    case is NSRelationshipDescription: 1
    case is NSFetchedPropertyDescription: 2
    default: 0
    }
  }

  private func grown(_ positions: [Int], _ names: [String]) -> [Int] {
    CoreFoundationOrder.grown(hashes: positions.map { style.hash(names[$0]) })
      .map { positions[$0] }
  }

  private func copied(_ positions: [Int], _ names: [String]) -> [Int] {
    guard copiesMembers else { return positions }
    return CoreFoundationOrder.sized(hashes: positions.map { style.hash(names[$0]) })
      .map { positions[$0] }
  }
}
