/// The lines of one entity in a text listing.
struct EntityRows {
  private let entity: ModelSchema.Entity

  init(_ entity: ModelSchema.Entity) {
    self.entity = entity
  }

  func list(into table: inout TextTable) {
    table.heading(heading)
    for property in entity.properties {
      PropertyRows(property).list(into: &table)
    }
    for index in entity.indexes {
      table.row(
        [[.keyword("index")], [.property(ListingText.name(index.name))]], IndexText.spans(index))
    }
    for names in entity.compoundIndexes {
      table.row([[.keyword("compound index")]], [.plain(ListingText.list(names))])
    }
    for names in entity.uniquenessConstraints {
      table.row([[.keyword("unique")]], [.plain(ListingText.list(names))])
    }
    if let display = entity.coreSpotlightDisplayName {
      table.row([[.keyword("spotlight name")]], [.value(ListingText.bare(display))])
    }
    for (key, value) in entity.userInfo.sorted(by: { $0.key < $1.key }) {
      table.row([[.keyword("user info")]], UserInfoText.spans(key, value))
    }
  }

  private var heading: [TextSpan] {
    var spans: [TextSpan] = [.keyword("entity"), .space, .entity(ListingText.name(entity.name))]
    if let parent = entity.superentity {
      spans += [.plain(": "), .entity(ListingText.name(parent))]
    }
    if entity.isAbstract { spans += [.gap, .keyword("abstract")] }
    if let className = entity.className {
      spans += [.gap, .keyword("class"), .space, .type(ListingText.name(className))]
    }
    if !entity.subentities.isEmpty {
      spans += [
        .gap, .keyword("subentities"), .space, .plain(ListingText.list(entity.subentities)),
      ]
    }
    if let identifier = entity.renamingIdentifier {
      spans += [.gap, .keyword("renamed from"), .space, .value(ListingText.name(identifier))]
    }
    if let modifier = entity.versionHashModifier {
      spans += [.gap, .keyword("hash modifier"), .space, .value(ListingText.quoted(modifier))]
    }
    return spans
  }
}

/// The text after an index's name.
enum IndexText {
  static func spans(_ index: ModelSchema.FetchIndex) -> [TextSpan] {
    var spans: [TextSpan] = []
    for element in index.elements {
      if !spans.isEmpty { spans.append(.plain(", ")) }
      spans += elementSpans(element)
    }
    if let predicate = index.predicate {
      spans += [.gap, .keyword("where"), .space, .value(ListingText.bare(predicate))]
    }
    return spans
  }

  private static func elementSpans(_ element: ModelSchema.FetchIndex.Element) -> [TextSpan] {
    var spans: [TextSpan] = [.plain(ListingText.name(element.name))]
    if let expression = element.expression {
      spans += [
        .plain(" = "), .value(ListingText.bare(expression.expression ?? "nil")), .plain(" as "),
        .type(expression.resultType.title),
      ]
    }
    if element.collation == .rTree { spans += [.space, .keyword("r-tree")] }
    spans += [.space, .keyword(element.isAscending ? "ascending" : "descending")]
    return spans
  }
}

/// An entry of a user info dictionary.
enum UserInfoText {
  static func spans(_ key: String, _ value: ModelSchema.Value) -> [TextSpan] {
    [.plain(ListingText.name(key)), .plain(" = "), .value(ListingText.value(value))]
  }
}

extension ListingText {
  /// Names separated by commas.
  static func list(_ names: [String]) -> String {
    names.map { name($0) }.joined(separator: ", ")
  }
}
