import DataModels
import Foundation
import PredicateFormat

extension NSManagedObjectContext {
  /// The dictionaries of a dictionary request, from the store if possible, otherwise made in memory.
  final func fetchDictionaries(_ request: AnyFetchRequest) throws -> [NSDictionary] {
    let plain = NSFetchRequest<NSManagedObject>(request)
    let plan: DictionaryPlan
    do {
      // Sort descriptors may name columns that aren't properties of the entity.
      let descriptors = plain.sortDescriptors
      plain.sortDescriptors = nil
      plan = try DictionaryPlan(
        request, layout: try query(for: plain, includesPendingChanges: false).layout)
      plain.sortDescriptors = descriptors
    }
    try KeyPathCheck(plan.layout, in: self).check(plan)
    var query = try query(for: plain, sortsByColumnsOf: plan)
    if let store = source as? StoreSource, let made = try store.dictionaries(query, plan: plan) {
      return made
    }
    // If dictionaries don't correspond to rows, limit and offset apply to dictionaries, as they do if what is computed for
    // these decides the order.
    let sortsDictionaries = plan.isGrouped || plan.computesAny(of: query.sortDescriptors)
    let isWhole = sortsDictionaries || plan.isDistinct
    let (limit, offset) = (query.limit, query.offset)
    if isWhole { (query.limit, query.offset) = (0, 0) }
    plain.resultType = .managedObjectResultType
    plain.includesPendingChanges = false
    plain.propertiesToFetch = nil
    plain.fetchLimit = query.limit
    plain.fetchOffset = query.offset
    if sortsDictionaries { plain.sortDescriptors = nil }
    // Dictionaries contain saved values: a separate context has no unsaved ones.
    // For a child, those of its parent are.
    let reader = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    if let parent {
      reader.parent = parent
    } else {
      reader.persistentStoreCoordinator = persistentStoreCoordinator
      reader.generationChoice = generationChoice
    }
    // Objects don't retain their context.
    return try withExtendedLifetime(reader) {
      try DictionaryEvaluator(plan, evaluationRules(for: query.layout)).dictionaries(
        try reader.fetchObjects(plain), sortedBy: sortsDictionaries ? query.sortDescriptors : [],
        offset: isWhole ? offset : 0, limit: isWhole ? limit : 0)
    }
  }

  private final func query(
    for request: AnyFetchRequest, sortsByColumnsOf plan: DictionaryPlan
  ) throws -> RowQuery {
    let descriptors = request.sortDescriptors ?? []
    let checked = NSFetchRequest<NSManagedObject>(request)
    checked.sortDescriptors = descriptors.filter { plan.column(named: $0.key ?? "") == nil }
    // Dictionaries have saved values.
    var query = try query(for: checked, includesPendingChanges: false)
    query.sortDescriptors = descriptors
    return query
  }
}
