// Indexes that compilers make of attributes marked as indexed and of compound indexes: they have no names and
// places of their own, but those of the properties that they are over.

/// How compilers call the indexes that they make of attributes marked as indexed and of compound indexes.
enum SynthesizedIndexName {
  static func joined(_ properties: [String]) -> String { properties.joined(separator: "_") }
}

extension ModelElement {
  /// The names or identities of the properties that an index is over, where a compiler made it; nil for
  /// other elements.
  var synthesizingProperties: [String]? {
    guard kind == .index, self["synthesized"].isTrue else { return nil }
    let names = self["elements"].members.compactMap { $0.fields["property"]?.propertyName }
    return names.isEmpty ? nil : names
  }

  /// The names of the properties that an index is named after, since a compiler made it of them; nil for
  /// other elements.
  func synthesizingProperties(at path: ModelPath) -> [String]? {
    synthesizingProperties.flatMap { SynthesizedIndexName.joined($0) == path.name ? $0 : nil }
  }
}

extension IdentifiedOutline {
  /// Gives the indexes that compilers make the identities of the properties that they are named after: they
  /// go with them when a side renames them.
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
      // Another may have the name that the property had.
      var free = identity
      while !taken.insert(free).inserted { free = free.asAddition }
      identities[path] = free
    }
  }
}

extension OutlineMerge {
  /// Names what compilers name after properties by the names that the merge gave those, and puts it where
  /// they went; `followed` holds what was named so before, under the names of then.
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
