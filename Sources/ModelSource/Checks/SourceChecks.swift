import DataModels

/// Checks a model's declarations against the rules of the compiler, Core Data and the rule sets of ``SourceRule``.
struct SourceChecks {
  /// Apple's compiler warns if an entity has more properties than this.
  static let mostProperties = 100

  /// The number of names to compare in search of those that were meant.
  private static let mostComparisons = 1_000_000

  let index: DeclarationIndex
  var log: DiagnosticLog
  private var comparisons = 0

  private init(_ index: DeclarationIndex, log: DiagnosticLog) {
    self.index = index
    self.log = log
  }

  /// Checks declarations, adding diagnostics to `log`.
  static func check(
    _ index: DeclarationIndex, groups: Set<SourceRule.Group>, log: inout DiagnosticLog
  ) {
    var checks = SourceChecks(index, log: log)
    if groups.contains(.compile) { checks.checkModel() }
    if groups.contains(.cloudKit) { checks.checkCloudKit() }
    if groups.contains(.security) { checks.checkTransformers() }
    log = checks.log
  }

  var model: ModelDeclaration { index.model }

  private mutating func checkModel() {
    checkNames(model.entities.map { ($0.name, $0.element) }, "entity")
    checkNames(model.composites.map { ($0.name, $0.element) }, "composite")
    checkNames(model.configurations.map { ($0.name, $0.element) }, "configuration")
    checkNames(model.fetchRequests.map { ($0.name, $0.element) }, "fetch request")
    for number in model.entities.indices {
      checkEntity(number)
      checkAttributes(of: number)
      checkRelationships(of: number)
      checkIndexes(of: number)
    }
    checkComposites()
    checkConfigurations()
    checkFetchRequests()
  }

  // MARK: Names

  private mutating func checkNames(
    _ named: [(name: String, element: SourceElement)], _ kind: String
  ) {
    var seen: Set<String> = []
    for (name, element) in named where !seen.insert(name).inserted && !name.isEmpty {
      log.add(
        .duplicateName, about: DiagnosticSubject(element, entity: name), at: "name",
        "there is another \(kind) '\(name)'")
    }
  }

  private mutating func checkEntity(_ number: Int) {
    let entity = model.entities[number]
    let subject = DiagnosticSubject(entity.element, entity: entity.name)
    if let parent = entity.parent {
      if index.entities[parent] == nil {
        log.add(
          .unknownParent, about: subject, at: "parentEntity",
          "the parent entity '\(parent)' doesn't exist" + suggestEntity(parent))
      } else if index.misplaced.contains(number) {
        log.add(
          .parentCycle, about: subject, at: "parentEntity",
          "the entity is its own ancestor, or below more than"
            + " \(DeclarationIndex.deepestHierarchy) others")
      }
    }
    checkPropertyNames(of: number)
    let count = entity.propertyCount
    if count > Self.mostProperties {
      log.add(
        .tooManyProperties, about: subject,
        "the entity has \(count) properties; more than \(Self.mostProperties) make fetching slow")
    }
  }

  private mutating func checkPropertyNames(of number: Int) {
    let entity = model.entities[number]
    // Tracking the names is necessary only if there are duplicates.
    var seen: Set<String>? = index.hasDuplicates(in: number) ? [] : nil
    for attribute in entity.attributes { checkName(of: attribute, &seen, number) }
    for relationship in entity.relationships { checkName(of: relationship, &seen, number) }
    for fetched in entity.fetchedProperties { checkName(of: fetched, &seen, number) }
  }

  private mutating func checkName(
    of property: Declaration<some PropertyContent>, _ seen: inout Set<String>?, _ number: Int
  ) {
    let name = property.name
    guard !name.isEmpty else { return }
    let isNew = seen?.insert(name).inserted ?? true
    if isNew, !ReservedNames.contains(name), isIdentifier(name), index.parents[number] == nil {
      return
    }
    let subject = DiagnosticSubject(
      property.element, entity: model.entities[number].name, property: name)
    if !isNew {
      log.add(
        .duplicateName, about: subject, at: "name", "the entity has another property '\(name)'")
    } else if let owner = ancestor(declaring: name, above: number) {
      log.add(
        .duplicateName, about: subject, at: "name", severity: .warning,
        "the property is also inherited from '\(owner)'")
    }
    if ReservedNames.contains(name) {
      log.add(
        .reservedName, about: subject, at: "name",
        severity: ReservedNames.isTolerated(name) ? .warning : .error,
        "'\(name)' is a method or property of NSManagedObject; a property can't have its name")
    }
    if !isIdentifier(name) {
      log.add(
        .invalidName, about: subject, at: "name",
        "'\(name)' can't be a property's name: use letters, digits and underscores, and begin"
          + " with a letter")
    }
  }

  private func ancestor(declaring name: String, above number: Int) -> String? {
    var next = index.parents[number]
    while let current = next {
      if index.hasOwnProperty(name, of: current) { return model.entities[current].name }
      next = index.parents[current]
    }
    return nil
  }

  /// Letters of any script are allowed, as in Swift and Objective-C.
  private func isIdentifier(_ name: String) -> Bool {
    var isFirst = true
    for scalar in name.unicodeScalars {
      if scalar.isASCII {
        let byte = UInt8(truncatingIfNeeded: scalar.value)
        let isLetter = byte == UInt8(ascii: "_") || (97...122).contains(byte | 0x20)
        guard isLetter || (!isFirst && (48...57).contains(byte)) else { return false }
        isFirst = false
        continue
      }
      let isLetter =
        scalar.properties.isAlphabetic || scalar.properties.isXIDContinue
      guard isLetter || (!isFirst && scalar.properties.numericType != nil) else { return false }
      isFirst = false
    }
    return true
  }

  /// The entity that was probably meant. In a large model in which many entities are missing, only the first are looked
  /// for.
  mutating func suggestEntity(_ name: String) -> String {
    comparisons += model.entities.count
    guard comparisons <= Self.mostComparisons else { return "" }
    return didYouMean(SpellingSuggestion.nearest(to: name, among: model.entities.lazy.map(\.name)))
  }

  func didYouMean(_ suggestion: String?) -> String {
    suggestion.map { " (did you mean '\($0)'?)" } ?? ""
  }
}
