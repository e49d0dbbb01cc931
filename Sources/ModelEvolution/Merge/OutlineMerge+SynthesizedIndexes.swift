// Indexes that compilers create for attributes marked as indexed and for compound indexes. Their names and locations
// are derived from the properties that they index.

/// The names that compilers give to indexes for attributes marked as indexed and for compound indexes.
enum SynthesizedIndexName {
  static func joined(_ properties: [String]) -> String { properties.joined(separator: "_") }
}

extension ModelElement {
  /// The names or identities of the properties that a compiler-generated index is over; nil for other elements.
  var synthesizingProperties: [String]? {
    guard kind == .index, self["synthesized"].isTrue else { return nil }
    let names = self["elements"].members.compactMap { $0.fields["property"]?.propertyName }
    return names.isEmpty ? nil : names
  }

  /// The names of the properties after which a compiler-generated index is named; nil for other elements.
  func synthesizingProperties(at path: ModelPath) -> [String]? {
    synthesizingProperties.flatMap { SynthesizedIndexName.joined($0) == path.name ? $0 : nil }
  }
}

extension IdentifiedOutline {
  /// Gives compiler-generated indexes the identities of the properties after which they are named, so that they follow
  /// when a side renames the properties.
  mutating func identifySynthesizedIndexes(
    of side: ModelOutline, _ entityIdentities: [String: String]
  ) {
    var followers: [(path: ModelPath, identity: ModelPath)] = []
    for (path, element) in side.elements {
      guard let names = element.synthesizingProperties(at: path), let home = path.entityName else {
        continue
      }
      let properties = names.map { name in
        side.property(name, visibleIn: home).map { identities[$0] ?? $0 }
          ?? .property(name, of: home)
      }
      var goal = entityIdentities[home] ?? home
      if names.count == 1, side[.property(names[0], of: home)] != nil {
        goal = properties[0].entityName ?? goal
      }
      let identity = ModelPath.index(
        SynthesizedIndexName.joined(properties.map(\.name)), of: goal)
      if identity != identities[path] { followers.append((path, identity)) }
    }
    for follower in followers { identities[follower.path] = nil }
    var taken = Set(identities.values)
    for (path, identity) in followers {
      // Another index may have the property's former name.
      var free = identity
      while !taken.insert(free).inserted { free = free.asAddition }
      identities[path] = free
    }
  }
}

extension OutlineMerge {
  /// Renames and moves compiler-generated indexes to follow the merged names and locations of their properties.
  /// `followed` holds the names assigned by earlier calls.
  mutating func nameSynthesizedIndexes(_ followed: inout [ModelPath: String]) {
    for (identity, entry) in merged {
      guard let properties = entry.element.synthesizingProperties?.map(PropertyIdentity.decode)
      else {
        continue
      }
      if entry.home == nil {
        let property = properties.first ?? nil
        let home = property.flatMap { merged[$0]?.home } ?? identity.entityName
        merged[identity]?.home = home
      }
      let names = properties.map { $0.map { merged[$0]?.name ?? $0.name } ?? "" }
      let name = SynthesizedIndexName.joined(names)
      let known =
        followed[identity] ?? SynthesizedIndexName.joined(properties.map { $0?.name ?? "" })
      guard ModelPath.plainName(entry.name) == ModelPath.plainName(known), !names.contains("")
      else { continue }
      merged[identity]?.name = name
      followed[identity] = name
    }
  }
}
