import DataModels
import PredicateFormat

extension ModelElements {
  // MARK: Fetch requests

  mutating func fetchRequest(
    _ request: NSFetchRequest<NSFetchRequestResult>, name: String, owner: String
  ) -> SourceElement {
    var element = SourceElement("fetchRequest", [SourceAttribute("name", name)])
    element["entity"] = request.entityName
    element["predicateString"] = request.predicate.map { text(of: $0, owner) }
    if request.fetchLimit != 0 { element["fetchLimit"] = "\(request.fetchLimit)" }
    if request.fetchBatchSize != 0 { element["fetchBatchSize"] = "\(request.fetchBatchSize)" }
    let standard = NSFetchRequest<NSFetchRequestResult>()
    standard.resultType = request.resultType
    if request.fetchFlags != standard.fetchFlags {
      element["includeSubentities"] = yesOrNo(request.includesSubentities)
      element["includePropertyValues"] = yesOrNo(request.includesPropertyValues)
      element["includesPendingChanges"] = yesOrNo(request.includesPendingChanges)
      element["returnObjectsAsFaults"] = yesOrNo(request.returnsObjectsAsFaults)
      element["returnDistinctResults"] = yesOrNo(request.returnsDistinctResults)
    }
    if request.resultType != .managedObjectResultType {
      element["resultType"] = "\(request.resultType.rawValue)"
    }
    noteLostSettings(of: request, owner)
    if request.sortDescriptors?.isEmpty == false {
      noteLoss(of: "the sort descriptors of \(owner)")
    }
    if request.fetchOffset != 0 { noteLoss(of: "the fetch offset of \(owner)") }
    if request.relationshipKeyPathsForPrefetching?.isEmpty == false {
      noteLoss(of: "the prefetched relationships of \(owner)")
    }
    if request.propertiesToFetch != nil || request.propertiesToGroupBy != nil
      || request.havingPredicate != nil
    {
      noteLoss(of: "the properties to fetch and the grouping of \(owner)")
    }
    return element
  }

  /// Reports the settings that are others when the text is compiled.
  private mutating func noteLostSettings(
    of request: NSFetchRequest<NSFetchRequestResult>, _ owner: String
  ) {
    // A compiler sets the result type last, which may turn a setting off.
    let compiled = NSFetchRequest<NSFetchRequestResult>()
    compiled.includesPropertyValues = request.includesPropertyValues
    compiled.includesPendingChanges = request.includesPendingChanges
    compiled.resultType = request.resultType
    if compiled.includesPropertyValues != request.includesPropertyValues {
      noteLoss(of: "that \(owner) includes property values, which its result type turns off")
    }
    if compiled.includesPendingChanges != request.includesPendingChanges {
      noteLoss(of: "that \(owner) includes pending changes, which its result type turns off")
    }
    if request.shouldRefreshRefetchedObjects {
      noteLoss(of: "that \(owner) refreshes refetched objects")
    }
  }

  /// A predicate's text, from which the same predicate can be parsed.
  private mutating func text(of predicate: NSPredicate, _ owner: String) -> String {
    // `predicateFormat` prints 1 for YES and for 1.0.
    let source = predicate.tree.source
    if source.arguments.isEmpty { return source.format }
    let text = predicate.tree.canonicalFormat
    if (try? PredicateTree(parsing: text))?.predicate != predicate {
      noteLoss(of: "values in the predicate of \(owner) that have no text: \(text)")
    }
    return text
  }

  private func yesOrNo(_ isOn: Bool) -> String { isOn ? "YES" : "NO" }

  // MARK: Indexes

  mutating func fetchIndex(_ index: NSFetchIndexDescription, owner: String) -> SourceElement {
    var element = SourceElement("fetchIndex", [SourceAttribute("name", index.name)])
    element["partialIndexPredicate"] = index.partialIndexPredicate.map { text(of: $0, owner) }
    for part in index.elements {
      var child = SourceElement("fetchIndexElement")
      if let expression = part.expressionDescription {
        child["expression"] = expression.expression.map { PredicateSyntax.text($0) }
        child["expressionType"] = expression.expressionResultType.sourceName
        // Xcode's own sources have none; without it, a name other than the compiler's would be lost.
        child["property"] = expression.name
      } else {
        child["property"] = part.propertyName
      }
      child["type"] = part.collationType == .rTree ? "RTree" : "Binary"
      child["order"] = part.isAscending ? "ascending" : "descending"
      element.children.append(child)
    }
    return element
  }
}

/// Determines which of an entity's indexes a source declares, and which the compiler creates.
struct IndexCoverage {
  /// The indexes to be written as `<fetchIndex>`.
  let declared: [NSFetchIndexDescription]
  /// The tuples to be written as `<compoundIndex>`.
  let compoundIndexes: [[String]]
  /// The attributes that have a declared index of their own.
  private let covered: Set<String>
  /// The attributes for which the compiler created an index.
  private let synthesized: Set<String>

  init(_ entity: NSEntityDescription) {
    declared = entity.indexes.filter { !$0.isSynthesized }
    let tuples = declared.map { $0.elements.compactMap(\.propertyName) }
    covered = Set(tuples.filter { $0.count == 1 }.joined())
    let several = Set(tuples.filter { $0.count > 1 })
    compoundIndexes = entity.compoundIndexNames.filter { !several.contains($0) }
    synthesized = Set(
      entity.indexes.filter { $0.isSynthesized && $0.elements.count == 1 }.map(\.name))
  }

  /// Whether the source must mark the attribute as indexed.
  func isMarked(_ attribute: NSAttributeDescription) -> Bool {
    synthesized.contains(attribute.name)
      || (attribute.isIndexed && !covered.contains(attribute.name))
  }
}
