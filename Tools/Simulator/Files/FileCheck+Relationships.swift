/// Checks of keys and the rows they refer to.
extension FileCheck {
  func linkFindings(_ link: FileLink) -> [String] {
    guard let columns = file.columns[layout.table(of: link.source)] else { return [] }
    for column in [link.key, link.entity, link.position].compactMap({ $0 })
    where !columns.contains(column) {
      return ["column: there is no \(column) for \(link.relationship)"]
    }
    let (sources, targets) = (rows(of: link.source), rows(of: link.target))
    var findings: [String] = []
    for row in file.tables[layout.table(of: link.source)] ?? [] {
      let key = row["Z_PK"]?.integer ?? 0
      let place = "\(link.relationship) of \(layout.table(of: link.source)) \(key)"
      let target = row[link.key]?.integer
      if let column = link.position, (row[column] == .null) != (target == nil) {
        let position = show(row[column]?.integer)
        findings.append("position: \(place) has the key \(show(target)) and \(column) \(position)")
      }
      guard let target else {
        let isLeft = link.entity.map { row[$0] != .null } == true
        if isLeft { findings.append("key's entity: \(place) has one and no key") }
        continue
      }
      if sources[key] == nil { findings.append("foreign key: \(place), which hasn't got it") }
      guard let found = targets[target] else {
        findings.append("dangling key: \(place) leads to \(target)")
        continue
      }
      if let column = link.entity, row[column] != found["Z_ENT"] {
        findings.append("key's entity: that of \(place) isn't the row's")
      }
    }
    return findings + ties(link)
  }

  /// Finds members of one object that have the same position.
  private func ties(_ link: FileLink) -> [String] {
    guard let column = link.position else { return [] }
    var seen: Set<[Int]> = []
    return rows(of: link.source).values.compactMap { row in
      guard let target = row[link.key]?.integer, let position = row[column]?.integer,
        !seen.insert([target, position]).inserted
      else { return nil }
      return "position twice: \(position) in \(link.relationship) to \(target)"
    }
  }

  /// Finds one-to-one relationships whose two sides, both of which are stored, disagree.
  func oneSided(_ link: FileLink) -> [String] {
    guard let relationship = layout.model.relationship(link.relationship), !relationship.isToMany,
      let inverse = layout.model.inverse(of: relationship), !inverse.isToMany
    else { return [] }
    let targets = rows(of: link.target)
    return rows(of: link.source).compactMap { key, row in
      guard let target = row[link.key]?.integer, let found = targets[target],
        found[layout.column(inverse.name)] != .integer(key)
      else { return nil }
      return "one-sided: \(link.relationship) of \(link.source) \(key) leads to \(target)"
    }
  }

  func joinFindings(_ join: FileJoin) -> [String] {
    let owners = rows(of: join.source)
    let members = rows(of: join.relationship.destination)
    let pairs = (file.tables[join.table] ?? []).map { row in
      (row[join.owner]?.integer ?? 0, row[join.member]?.integer ?? 0, row)
    }
    var findings: [String] = []
    for (owner, member, row) in pairs {
      let place = "\(join.table) \(owner), \(member)"
      if owners[owner] == nil || members[member] == nil {
        findings.append("dangling join: \(place)")
      }
      for column in [join.memberPosition, join.ownerPosition].compactMap({ $0 })
      where row[column]?.integer == nil {
        findings.append("position: \(place) has no \(column)")
      }
      if join.isReflexive, !pairs.contains(where: { $0.0 == member && $0.1 == owner }) {
        findings.append("one-sided: \(place), which is its own inverse")
      }
    }
    if Set(pairs.map { [$0.0, $0.1] }).count < pairs.count {
      findings.append("pair twice: in \(join.table)")
    }
    let places = [(join.memberPosition, join.owner), (join.ownerPosition, join.member)]
    for case (let column?, let side) in places {
      let taken = pairs.map { [$0.2[side]?.integer, $0.2[column]?.integer] }
      if Set(taken).count < taken.count {
        findings.append("position twice: \(column) of \(join.table)")
      }
    }
    return findings
  }

  private func show(_ number: Int?) -> String { number.map(String.init) ?? "NULL" }
}
