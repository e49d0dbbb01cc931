import ModelListing

/// A drawn entity: its name, and one row per property.
struct DiagramBox: Sendable {
  /// The kind of a row.
  enum Kind: String, Sendable {
    case attribute, derived, transient, fetched, relationship, more
  }

  /// A row under the name.
  struct Row: Sendable {
    let kind: Kind
    let name: String
    let shownName: String
    let detail: String
    /// The delete rule of a relationship; nil for other rows.
    let rule: ModelSchema.DeleteRule?
  }

  static let headerHeight = 30.0
  static let rowHeight = 19.0
  static let padding = 11.0
  private static let bottom = 7.0
  /// The height of the line between attributes and relationships.
  private static let dividerHeight = 8.0
  private static let widest = 340.0

  let name: String
  let shownName: String
  let isAbstract: Bool
  /// Whether the entity is referenced but not part of the drawing.
  let isOutside: Bool
  private(set) var rows: [Row] = []
  let width: Double
  private let rowOf: [String: Int]
  private let firstRelationship: Int?

  /// The offset of the line above the relationships; nil if there are no attributes or no relationships.
  var dividerOffset: Double? {
    guard let first = firstRelationship, first > 0 else { return nil }
    return Self.headerHeight + 4 + Double(first) * Self.rowHeight + Self.dividerHeight / 2
  }

  var height: Double {
    rows.isEmpty
      ? Self.headerHeight
      : offset(ofRow: rows.count - 1) + Self.rowHeight / 2 + Self.bottom
  }

  /// The vertical center of the name, from the top.
  var headerOffset: Double { Self.headerHeight / 2 }

  /// The vertical center of a row, from the top.
  func offset(ofRow row: Int) -> Double {
    let isBelow = firstRelationship.map { $0 > 0 && row >= $0 } ?? false
    return Self.headerHeight + 4 + (Double(row) + 0.5) * Self.rowHeight
      + (isBelow ? Self.dividerHeight : 0)
  }

  /// The offset at which the line of a relationship starts.
  func offset(of relationship: String) -> Double {
    rowOf[relationship].map { offset(ofRow: $0) } ?? headerOffset
  }

  /// Creates a box for an entity that isn't part of the drawing.
  init(outside name: String) {
    self.name = name
    isAbstract = false
    isOutside = true
    shownName = Self.heading(name)
    width = Self.width(shownName, [])
    rowOf = [:]
    firstRelationship = nil
  }

  /// Creates a box for an entity.
  ///
  /// - Parameter limit: The most attributes to draw; if there are more, the last row gives their number.
  init(_ entity: ModelSchema.Entity, limit: Int?) {
    name = entity.name
    isAbstract = entity.isAbstract
    isOutside = false
    shownName = Self.heading(entity.name)
    var (values, relationships): ([Row], [Row]) = ([], [])
    for property in entity.properties {
      let row = Self.row(property)
      if row.kind == .relationship { relationships.append(row) } else { values.append(row) }
    }
    if let limit, values.count > limit + 1 {
      let rest = values.count - limit
      values =
        values.prefix(limit) + [
          Row(kind: .more, name: "", shownName: "\(rest) more", detail: "", rule: nil)
        ]
    }
    rows = values + relationships
    width = Self.width(shownName, rows)
    firstRelationship = rows.firstIndex { $0.kind == .relationship }
    rowOf = Dictionary(
      rows.enumerated().filter { $1.kind == .relationship }.map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  private static func heading(_ name: String) -> String {
    TextWidth.shortened(
      MarkupText.visible(name), to: widest - 2 * padding, size: 13, isBold: true)
  }

  private static func width(_ heading: String, _ rows: [Row]) -> Double {
    let widths = rows.map { row in
      TextWidth.of(row.shownName, size: 12) + (row.detail.isEmpty ? 0 : 18)
        + TextWidth.of(row.detail, size: 11)
    }
    let most = max(TextWidth.of(heading, size: 13, isBold: true), widths.max() ?? 0)
    // Rounded up to steps, so that boxes below each other line up.
    return max(128, ((most + 2 * padding) / 16).rounded(.up) * 16)
  }

  private static func row(_ property: ModelSchema.Property) -> Row {
    var (kind, detail, rule): (Kind, String, ModelSchema.DeleteRule?)
    switch property.detail {
    case .attribute(let attribute):
      kind = attribute.derivation != nil ? .derived : property.isTransient ? .transient : .attribute
      detail = attribute.type.title + (property.isOptional ? "?" : "")
      rule = nil
    case .relationship(let relationship):
      (kind, rule) = (.relationship, relationship.deleteRule)
      detail = relationship.deleteRule.title
    case .fetchedProperty(let fetched):
      (kind, detail, rule) = (.fetched, "→ \(fetched.fetchRequest?.entity ?? "nothing")", nil)
    case .expression(let expression):
      (kind, detail, rule) = (.derived, expression.resultType.title, nil)
    }
    detail = TextWidth.shortened(MarkupText.visible(detail), to: 130, size: 11)
    let shown = TextWidth.shortened(
      MarkupText.visible(property.name),
      to: widest - 2 * padding - 18 - TextWidth.of(detail, size: 11), size: 12)
    return Row(kind: kind, name: property.name, shownName: shown, detail: detail, rule: rule)
  }
}
