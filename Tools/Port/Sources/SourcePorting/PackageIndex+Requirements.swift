extension PackageIndex {
  /// The protocol for a single optional requirement.
  struct OwnProtocol {
    /// The protocol's name.
    var name: String
    /// The name of the protocol that declares the requirement.
    var origin: String
  }

  /// Returns the protocol for an optional requirement with a result, or nil if several protocols declare it, with or
  /// without a result.
  func ownProtocol(of requirement: Requirement) -> OwnProtocol? {
    guard !silentRequirements.contains(requirement),
      let origins = answeredRequirements[requirement], origins.count == 1,
      let origin = origins.first
    else { return nil }
    let labels = requirement.labels.map { $0 ?? "" }.joined(separator: "_")
    return OwnProtocol(name: "\(origin)_\(requirement.name)_\(labels)", origin: origin)
  }

  /// Returns the optional requirement that a call with a question mark refers to.
  func optionalRequirement(_ name: String, labels: [String?], trailingClosures: Int) -> Requirement?
  {
    func isNamed(_ requirement: Requirement) -> Bool {
      requirement.name == name && requirement.labels.count == labels.count + trailingClosures
        && requirement.labels.starts(with: labels)
    }
    return silentRequirements.first(where: isNamed)
      ?? answeredRequirements.keys.first { isNamed($0) && ownProtocol(of: $0) != nil }
  }

  /// Returns the sorted names of the protocols that a type must adopt for its optional requirements, given the names
  /// in its inheritance clause.
  func ownProtocols(of name: String, saying names: [String]) -> [String] {
    answeredRequirements.keys.compactMap { requirement -> String? in
      guard let own = ownProtocol(of: requirement) else { return nil }
      func has(_ type: String) -> Bool {
        methods[requirement.name]?.contains {
          $0.type == type && !$0.isStatic && $0.parameters.map(\.label) == requirement.labels
        } ?? false
      }
      let (types, protocols) = (
        names.filter { classes[$0] != nil }, names.filter { classes[$0] == nil }
      )
      let above = types.flatMap { classes[$0] ?? [] }.flatMap(superclasses(of:)).map(\.name)
      if protocols.contains(where: { reaches($0, own.origin) }) {
        return has(name) || above.contains(where: has) ? own.name : nil
      }
      let isAbove = above.contains { reaches($0, own.origin) }
      return isAbove && has(name) && !above.contains(where: has) ? own.name : nil
    }.sorted()
  }

  /// Returns the superclass that makes a class a delegate of fetched results controllers, if it lacks an optional method
  /// of the delegate's. The default implementation, which does nothing, is then called for the class, too.
  func delegateSuperclass(of type: Class, lacking requirement: Requirement) -> String? {
    let above = superclasses(of: type).dropFirst().map(\.name)
    let isAnswered = methods[requirement.name]?.contains { method in
      above.contains(method.type) && !method.isStatic
        && method.parameters.map(\.label) == requirement.labels
    }
    guard isAnswered != true else { return nil }
    return above.last { name in
      inheritances[name]?.contains { $0.hasSuffix("NSFetchedResultsControllerDelegate") } ?? false
    }
  }

  /// Whether a type or protocol conforms to another, according to the package's declarations.
  private func reaches(_ name: String, _ origin: String) -> Bool {
    var (pending, seen): ([String], Set<String>) = ([name], [])
    while let next = pending.popLast() {
      if next == origin { return true }
      if seen.insert(next).inserted { pending += inheritances[next] ?? [] }
    }
    return false
  }
}
