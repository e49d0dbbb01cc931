extension PackageIndex {
  /// Returns the member that a class of the package overrides and that an extension adds to another module's class.
  func overriddenMember(_ member: ForeignMember, in module: String) -> ForeignMember? {
    guard let type = type(named: member.type, in: module) else { return nil }
    let above = superclasses(of: type)
    // A member that a class of the package declares is overridden as usual.
    guard !above.dropFirst().contains(where: { declares(member, in: $0.name, overriding: false) }),
      let root = above.last?.superclass?.split(separator: ".").last.map(String.init)
    else { return nil }
    return foreignDeclarations.first {
      $0.isLike(member) && ($0.type == root || $0.type == "NSObject") && classes[$0.type] == nil
        && !modelNames.classes.contains($0.type)
    }
  }

  /// Whether classes of the package override a member that an extension adds to another module's class.
  func isOverridden(_ member: ForeignMember) -> Bool {
    guard foreignDeclarations.contains(member), classes[member.type] == nil else { return false }
    return overrides.contains { override in
      override.isLike(member)
        && (classes[override.type] ?? []).contains {
          overriddenMember(override, in: $0.module) == member
        }
    }
  }

  /// Whether a class itself says that saves call `validateValue(_:forKey:)`.
  func announcesValidation(_ type: String) -> Bool {
    overrides.contains { $0.type == type && $0.name == "validatesEachValue" }
  }

  /// Returns the members of this kind that a class overrides and its superclasses don't.
  func firstOverrides(of name: String, in module: String) -> [ForeignMember] {
    guard let type = type(named: name, in: module) else { return [] }
    let above = superclasses(of: type).dropFirst()
    return overrides.filter { $0.type == name }
      .filter { member in
        !above.contains { declares(member, in: $0.name, overriding: true) }
      }
      .compactMap { overriddenMember($0, in: module) }
      .sorted { $0.protocolName < $1.protocolName }
  }

  private func declares(_ member: ForeignMember, in type: String, overriding: Bool) -> Bool {
    var member = member
    member.type = type
    return overrides.contains(member) ? overriding : !overriding && ownDeclarations.contains(member)
  }
}
