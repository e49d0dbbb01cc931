/// The lines of a fetch request in a text listing.
struct RequestRows {
  private let request: ModelSchema.FetchRequest

  init(_ request: ModelSchema.FetchRequest) {
    self.request = request
  }

  /// Lists the request as a template: a heading, and one line per fact.
  func list(into table: inout TextTable) {
    table.heading([
      .keyword("fetch request"), .space, .property(ListingText.name(request.name ?? "")),
      .plain(" ->> "), .entity(request.entity.map { ListingText.name($0) } ?? "nothing"),
    ])
    for fact in facts {
      table.row([], fact)
    }
  }

  /// The facts of the request, one group of spans each.
  var facts: [[TextSpan]] {
    var facts: [[TextSpan]] = []
    func add(_ word: String, _ text: String?) {
      if let text { facts.append([.keyword(word), .space, .value(text)]) }
    }
    func add(_ word: String, count: Int) { if count != 0 { add(word, "\(count)") } }
    func add(_ word: String, list: [String]) {
      if !list.isEmpty { add(word, ListingText.list(list)) }
    }

    add("where", request.predicate.map { ListingText.bare($0) })
    let keys = request.sortDescriptors.map { Self.text($0) }
    if !keys.isEmpty { add("order", keys.joined(separator: ", ")) }
    add("limit", count: request.fetchLimit)
    add("offset", count: request.fetchOffset)
    add("batch", count: request.fetchBatchSize)
    add("fetch", list: request.propertiesToFetch)
    add("group by", list: request.propertiesToGroupBy)
    add("having", request.havingPredicate.map { ListingText.bare($0) })
    add("prefetch", list: request.relationshipKeyPathsForPrefetching)
    for word in flagWords { facts.append([.keyword(word)]) }
    return facts
  }

  private var flagWords: [String] {
    var words: [String] = []
    switch request.resultType {
    case .managedObjects: break
    case .managedObjectIDs: words.append("object IDs")
    case .dictionaries: words.append("dictionaries")
    case .count: words.append("count only")
    }
    if request.returnsDistinctResults { words.append("distinct") }
    if !request.includesSubentities { words.append("without subentities") }
    if !request.includesPropertyValues { words.append("without values") }
    if !request.includesPendingChanges { words.append("without pending changes") }
    if !request.returnsObjectsAsFaults { words.append("no faults") }
    if request.shouldRefreshRefetchedObjects { words.append("refreshing") }
    return words
  }

  private static func text(_ key: ModelSchema.FetchRequest.SortKey) -> String {
    var text = key.key.map { ListingText.name($0) } ?? "self"
    if !key.isAscending { text += " descending" }
    if let selector = key.selector, selector != "compare:" { text += " by \(selector)" }
    return text
  }
}
