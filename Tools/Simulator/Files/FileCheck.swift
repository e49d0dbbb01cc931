import Foundation

/// Checks that a store's file obeys the rules of the format, whatever the program has stored.
struct FileCheck {
  let file: StoreFile
  let layout: FileLayout
  let store: Int
  private var model: ModelPlan { layout.model }

  /// The violations found; each description begins with the rule.
  ///
  /// - Parameter hasOneWriter: whether a single context has written. Two contexts may leave the two sides of a
  ///   one-to-one relationship in disagreement.
  func findings(hasOneWriter: Bool) -> [String] {
    var findings = entityFindings()
    for root in model.entities where root.parent == nil && model.store(of: root.name) == store {
      findings += rowFindings(root.name)
    }
    for entity in model.entities where model.store(of: entity.name) == store {
      findings += valueFindings(entity) + entity.constraints.flatMap { clashes($0, entity.name) }
    }
    for link in layout.links where isHere(link.source, link.target) {
      findings += linkFindings(link)
      if hasOneWriter { findings += oneSided(link) }
    }
    return findings + layout.joins(file).filter { isHere($0.source) }.flatMap(joinFindings)
  }

  private func isHere(_ entities: String...) -> Bool {
    entities.allSatisfy { model.store(of: $0) == store }
  }

  /// The rows of an entity and its subentities, by primary key.
  func rows(of entity: String) -> [Int: StoreFile.Row] {
    let numbers = layout.numbers(of: entity)
    var rows: [Int: StoreFile.Row] = [:]
    for row in file.tables[layout.table(of: entity)] ?? [] {
      guard let key = row["Z_PK"]?.integer, let number = row["Z_ENT"]?.integer,
        numbers.contains(number)
      else { continue }
      rows[key] = row
    }
    return rows
  }

  // MARK: Rows

  /// Checks that every entity has its number, and that no primary key exceeds the stored maximum.
  private func entityFindings() -> [String] {
    let rows = file.tables["Z_PRIMARYKEY"] ?? []
    return model.entities.compactMap { entity in
      let number = layout.number(of: entity.name)
      guard let row = rows.first(where: { $0["Z_ENT"] == .integer(number) }),
        row["Z_NAME"] == .text(entity.name)
      else { return "entity number: \(entity.name) isn't number \(number)" }
      let parent = entity.parent.map(layout.number) ?? 0
      guard row["Z_SUPER"] == .integer(parent) else {
        return "entity parent: that of \(entity.name) isn't number \(parent)"
      }
      let last = row["Z_MAX"]?.integer ?? -1
      guard entity.parent == nil else {
        return last == 0 ? nil : "key counter: the subentity \(entity.name) has one"
      }
      let keys = file.tables[layout.table(of: entity.name)]?.compactMap { $0["Z_PK"]?.integer }
      guard let highest = keys?.max(), highest > last else { return nil }
      return "key counter: \(last) of \(entity.name), where there is a key \(highest)"
    }
  }

  private func rowFindings(_ root: String) -> [String] {
    guard let rows = file.tables[layout.table(of: root)] else {
      return ["table: there is none of \(root)"]
    }
    let concrete = model.concreteEntities.filter { model.root(of: $0) == root }
    let numbers = Set(concrete.map(layout.number))
    return rows.compactMap { row in
      let key = row["Z_PK"]?.integer ?? 0
      guard key > 0 else { return "key: a row of \(root) has \(key)" }
      guard let number = row["Z_ENT"]?.integer, numbers.contains(number) else {
        return "row's entity: \(root) \(key) has \(row["Z_ENT"] ?? .null)"
      }
      guard let version = row["Z_OPT"]?.integer, version > 0 else {
        return "version: \(root) \(key) has \(row["Z_OPT"] ?? .null)"
      }
      return nil
    }
  }

  /// Checks that values have the storage class of their type, and that mandatory values are present.
  private func valueFindings(_ entity: EntityPlan) -> [String] {
    entity.attributes.filter { !$0.isTransient }.flatMap { attribute -> [String] in
      let column = layout.column(attribute.name)
      return rows(of: entity.name).compactMap { key, row in
        guard let value = row[column] else { return "column: there is no \(column)" }
        if value == .null {
          return attribute.isOptional
            ? nil : "missing value: \(attribute.name) of \(entity.name) \(key)"
        }
        return attribute.kind.isStored(as: value)
          ? nil : "storage class: \(attribute.name) of \(entity.name) \(key) is \(value)"
      }
    }
  }

  private func clashes(_ constraint: [String], _ entity: String) -> [String] {
    var seen: [[FileValue]: Int] = [:]
    return rows(of: entity).sorted { $0.key < $1.key }.compactMap { key, row in
      let values = constraint.map { (row[layout.column($0)] ?? .null).literal }
      guard !values.contains(.null) else { return nil }
      guard let other = seen.updateValue(key, forKey: values) else { return nil }
      return "unique values: \(entity) \(other) and \(key) have the same \(constraint)"
    }
  }
}

extension AttributeKind {
  /// Whether values of the type are stored with this storage class. SQLite stores whole numbers as integers where it
  /// can.
  fileprivate func isStored(as value: FileValue) -> Bool {
    switch (self, value) {
    case (.string, .text), (.integer16, .integer), (.integer32, .integer), (.integer64, .integer),
      (.double, .real), (.float, .real), (.date, .real), (.date, .integer), (.decimal, .real),
      (.decimal, .integer), (.data, .blob), (.transformable, .blob):
      true
    case (.bool, .integer(let number)): number == 0 || number == 1
    case (.uuid, .blob(let bytes)): bytes.count == 16
    case (.external, .blob(let bytes)): bytes.first == 1 || bytes.first == 2 && bytes.count == 38
    default: false
    }
  }
}
