import DataModels

/// Reads and writes the elements of a composite attribute as records of attribute facts.
enum CompositeElements {
  /// The depth at which nested composites are no longer read.
  private static let depthLimit = 32

  static func read(from composite: NSCompositeAttributeDescription, depth: Int = 0) -> ModelValue {
    guard depth < depthLimit else { return .none }
    return .list(
      composite.elements.map { element in
        let kind = ModelElementKind(of: element)
        var fields: [String: ModelValue] = [
          "name": .text(element.name), "kind": .text(kind.rawValue),
        ]
        for fact in Fact.table(for: kind) {
          let value =
            if fact.name == "elements", let inner = element as? NSCompositeAttributeDescription {
              read(from: inner, depth: depth + 1)
            } else {
              fact.read(element)
            }
          if value != .none && value != .flag(false) { fields[fact.name] = value }
        }
        return .record(fields)
      })
  }

  static func write(
    _ value: ModelValue, to composite: NSCompositeAttributeDescription, _ editor: ModelEditor
  ) throws {
    composite.elements = try value.members.map { record in
      let kind = record.fields["kind"]?.text.flatMap(ModelElementKind.init(rawValue:))
      guard let kind, let element = kind.makeProperty() as? NSAttributeDescription else {
        throw ValueMismatch(value: record, wanted: "an attribute")
      }
      element.name = record.fields["name"]?.text ?? ""
      for fact in Fact.table(for: kind) {
        // Fields missing from a record have the default value: none, or false.
        let value = record.fields[fact.name] ?? (fact.read(element).isFlag ? .flag(false) : .none)
        try fact.write(element, value, editor)
      }
      return element
    }
  }

  /// Whether a migration gives at least one of the elements a value where none has one: the default of a new element,
  /// or of one that was optional and isn't any more.
  // The recursion's depth was bounded by reading.
  static func fillThemselves(_ value: ModelValue, insteadOf old: ModelValue) -> Bool {
    value.members.contains { record in
      let fields = record.fields
      guard fields["transient"] != .flag(true) else { return false }
      let before = element(of: old, continuedBy: fields)
      switch fields["kind"]?.text.flatMap(ModelElementKind.init(rawValue:)) {
      case .compositeAttribute:
        return fillThemselves(
          fields["elements"] ?? .none, insteadOf: before?["elements"] ?? .none)
      case .attribute:
        guard fields["default"] != nil else { return false }
        guard let before, before["transient"] != .flag(true) else { return true }
        return before["optional"] == .flag(true) && fields["optional"] != .flag(true)
      default: return false
      }
    }
  }

  /// The elements that continue others, by their new names.
  static func continued(
    from old: ModelValue, to new: ModelValue
  ) -> [(name: String, old: ModelElement, new: ModelElement)] {
    new.members.compactMap { record in
      guard let before = element(of: old, continuedBy: record.fields).flatMap(element),
        let after = element(record.fields)
      else { return nil }
      return (record.fields["name"]?.text ?? "", before, after)
    }
  }

  private static func element(_ fields: [String: ModelValue]) -> ModelElement? {
    guard let kind = fields["kind"]?.text.flatMap(ModelElementKind.init(rawValue:)) else {
      return nil
    }
    return ModelElement(
      kind: kind, values: Fact.table(for: kind).map { fields[$0.name] ?? .none })
  }

  /// The old element that continues as a new one: its renaming identifier is that of the new one, or else its name is.
  private static func element(
    of old: ModelValue, continuedBy new: [String: ModelValue]
  ) -> [String: ModelValue]? {
    func identifier(_ fields: [String: ModelValue]) -> String? {
      fields["renamingIdentifier"]?.text ?? fields["name"]?.text
    }
    let wanted = identifier(new)
    let elements = old.members.map(\.fields)
    return elements.first { identifier($0) == wanted }
      ?? elements.first { $0["name"]?.text == wanted }
  }

  /// The parts of the elements that the version hash covers, for comparison.
  static func hashed(_ value: ModelValue) -> [[String: ModelValue]] {
    var pending = value.members
    var hashed: [[String: ModelValue]] = []
    // Nested composites are replaced by their elements; the depth was bounded by reading.
    while let record = pending.popLast() {
      let kind = record.fields["kind"]?.text.flatMap(ModelElementKind.init(rawValue:))
      guard let kind, record.fields["transient"] != .flag(true) else { continue }
      if kind == .compositeAttribute {
        pending += record.fields["elements"]?.members ?? []
        continue
      }
      var covered = record.fields.filter { name, _ in
        if case .covered? = Fact.named(name, for: kind)?.hash { return true }
        return false
      }
      covered["name"] = record.fields["name"]
      hashed.append(covered)
    }
    return hashed.sorted { ($0["name"]?.text ?? "") < ($1["name"]?.text ?? "") }
  }
}
