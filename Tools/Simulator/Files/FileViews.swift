import Foundation

/// Reads the objects of a store's file without the library.
struct FileViews {
  let check: FileCheck
  /// The folder of the store's external files.
  let support: URL
  /// The object names of the rows.
  let names: [RowKey: ObjectName]

  private var layout: FileLayout { check.layout }
  private var model: ModelPlan { layout.model }

  /// The objects of the store, and the version of each object's row.
  func read() throws -> (views: [ObjectName: ObjectView], versions: [ObjectName: Int]) {
    var views: [ObjectName: ObjectView] = [:]
    var versions: [ObjectName: Int] = [:]
    for root in model.entities where root.parent == nil && model.store(of: root.name) == check.store
    {
      for row in check.file.tables[layout.table(of: root.name)] ?? [] {
        guard let entity = row["Z_ENT"]?.integer.flatMap(layout.entity),
          let name = name(of: row, layout.table(of: root.name))
        else { throw Impossible("a row of \(root.name) of nobody") }
        if views[name] != nil { throw Impossible("two rows of object \(name)") }
        views[name] = try view(row, entity)
        versions[name] = row["Z_OPT"]?.integer
      }
    }
    try readLinks(&views)
    try readJoins(&views)
    for name in views.keys.sorted() {
      for relationship in model.relationships(of: views[name]?.entity ?? "")
      where relationship.isToMany && !relationship.isOrdered {
        views[name]?.toManys[relationship.name]?.sort()
      }
    }
    return (views, versions)
  }

  private func name(of row: StoreFile.Row, _ table: String) -> ObjectName? {
    guard let key = row["Z_PK"]?.integer else { return nil }
    return names[RowKey(table: table, key: key)] ?? row[layout.column(ModelPlan.serial)]?.integer
  }

  private func view(_ row: StoreFile.Row, _ entity: String) throws -> ObjectView {
    var view = ObjectView(entity: entity, flags: "")
    for attribute in model.attributes(of: entity) {
      if attribute.isTransient {
        view.attributes[attribute.name] = attribute.defaultValue
        continue
      }
      // The encoding that value transformers use is an internal detail of the library.
      guard attribute.kind != .transformable, let value = row[layout.column(attribute.name)],
        value != .null
      else { continue }
      view.attributes[attribute.name] = try number(value, attribute)
    }
    for relationship in model.relationships(of: entity) where relationship.isToMany {
      view.toManys[relationship.name] = []
    }
    return view
  }

  private func number(_ value: FileValue, _ attribute: AttributePlan) throws -> Int {
    let isPlain = attribute.name == ModelPlan.serial || attribute.counted != nil
    let number =
      isPlain
      ? value.integer
      : try value.object(attribute.kind, in: support).flatMap(attribute.kind.number)
    guard let number else { throw Impossible("\(attribute.name) is \(value), which nobody set") }
    return number
  }

  // MARK: Relationships

  private func readLinks(_ views: inout [ObjectName: ObjectView]) throws {
    for link in layout.links
    where model.store(of: link.source) == check.store
      && model.store(of: link.target) == check.store
    {
      guard let relationship = model.relationship(link.relationship) else { continue }
      let (sources, targets) = (check.rows(of: link.source), check.rows(of: link.target))
      let table = layout.table(of: link.source)
      var leading: [(position: Int, source: ObjectName, target: ObjectName)] = []
      for (_, row) in sources.sorted(by: { $0.key < $1.key }) {
        guard let key = row[link.key]?.integer, let found = targets[key],
          let source = name(of: row, table),
          let target = name(of: found, layout.table(of: link.target))
        else { continue }
        if !relationship.isToMany { views[source]?.toOnes[relationship.name] = target }
        leading.append((link.position.flatMap { row[$0]?.integer } ?? 0, source, target))
      }
      let toMany = relationship.isToMany ? relationship : model.inverse(of: relationship)
      guard let toMany, toMany.isToMany else { continue }
      for (_, source, target) in leading.sorted(by: { $0.position < $1.position }) {
        views[target]?.toManys[toMany.name]?.append(source)
      }
    }
  }

  private func readJoins(_ views: inout [ObjectName: ObjectView]) throws {
    for join in layout.joins(check.file) where model.store(of: join.source) == check.store {
      let owners = check.rows(of: join.source)
      let members = check.rows(of: join.relationship.destination)
      let ownerTable = layout.table(of: join.source)
      let memberTable = layout.table(of: join.relationship.destination)
      let pairs = (check.file.tables[join.table] ?? []).compactMap {
        row -> (owner: ObjectName, member: ObjectName, row: StoreFile.Row)? in
        guard let owner = row[join.owner]?.integer.flatMap({ owners[$0] }),
          let member = row[join.member]?.integer.flatMap({ members[$0] }),
          let left = name(of: owner, ownerTable), let right = name(of: member, memberTable)
        else { return nil }
        return (left, right, row)
      }
      func sorted(
        _ column: String?
      ) -> [(owner: ObjectName, member: ObjectName, row: StoreFile.Row)] {
        guard let column else { return pairs }
        return pairs.sorted { ($0.row[column]?.integer ?? 0) < ($1.row[column]?.integer ?? 0) }
      }
      for pair in sorted(join.memberPosition) {
        views[pair.owner]?.toManys[join.relationship.name]?.append(pair.member)
      }
      guard !join.isReflexive else { continue }
      for pair in sorted(join.ownerPosition) {
        views[pair.member]?.toManys[join.inverse.name]?.append(pair.owner)
      }
    }
  }
}

/// Identifies a row.
struct RowKey: Hashable {
  var table: String
  var key: Int
}

extension FileValue {
  /// The value that the library would return; nil if the storage class isn't one of the type's.
  fileprivate func object(_ kind: AttributeKind, in support: URL) throws -> Any? {
    switch (kind, self) {
    case (.string, .text(let text)): return text
    case (.integer16, .integer(let value)), (.integer32, .integer(let value)),
      (.integer64, .integer(let value)), (.bool, .integer(let value)):
      return NSNumber(value: value)
    case (.double, _), (.float, _): return double.map { NSNumber(value: $0) }
    case (.date, _): return double.map { Date(timeIntervalSinceReferenceDate: $0) }
    // NSDecimalNumber(value:) has other digits than the shortest ones.
    case (.decimal, _): return double.map { NSDecimalNumber(string: "\($0)") }
    case (.uuid, .blob(let bytes)):
      guard bytes.count == 16 else { return nil }
      return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    case (.data, .blob(let bytes)): return bytes
    case (.external, .blob(let bytes)):
      guard bytes.first == 2 else { return Data(bytes.dropFirst()) }
      let file = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
      return try Data(contentsOf: support.appendingPathComponent(file))
    default: return nil
    }
  }
}
