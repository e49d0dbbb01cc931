import MomKit

/// Batch requests.
extension Stack {
  func batchInsert(
    _ c: Int, _ entity: String, _ rows: [[String: Int]], merging: Bool
  ) throws -> Outcome {
    let request = NSBatchInsertRequest(
      entityName: entity,
      objects: rows.map { row in
        Dictionary(
          uniqueKeysWithValues: row.map { key, number in
            let value = plan.attribute(key, of: entity)?.kind.value(number)
            return (key, key == ModelPlan.serial ? AttributeKind.serial(number) : value ?? 0)
          })
      })
    request.resultType = .objectIDs
    let result = try contexts[c].execute(request) as? NSBatchInsertResult
    let ids = result?.result as? [NSManagedObjectID] ?? []
    for (id, row) in zip(ids, rows) {
      guard let name = row[ModelPlan.serial] else { continue }
      identities[name] = id
      names[id.uriRepresentation()] = name
    }
    return try finish(c, ids, NSInsertedObjectIDsKey, merging)
  }

  func batchUpdate(
    _ c: Int, _ entity: String, _ condition: Condition?, _ key: String, _ number: Int?,
    merging: Bool
  ) throws -> Outcome {
    let request = NSBatchUpdateRequest(entityName: entity)
    request.predicate = try condition.map { try predicate($0, c) }
    let value = number.flatMap { plan.attribute(key, of: entity)?.kind.value($0) }
    request.propertiesToUpdate = [key: value ?? NSNull()]
    request.resultType = .updatedObjectIDsResultType
    let result = try contexts[c].execute(request) as? NSBatchUpdateResult
    return try finish(
      c, result?.result as? [NSManagedObjectID] ?? [], NSUpdatedObjectIDsKey, merging)
  }

  func batchDelete(
    _ c: Int, _ entity: String, _ condition: Condition?, merging: Bool
  ) throws -> Outcome {
    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
    fetch.predicate = try condition.map { try predicate($0, c) }
    let request = NSBatchDeleteRequest(fetchRequest: fetch)
    request.resultType = .resultTypeObjectIDs
    let result = try contexts[c].execute(request) as? NSBatchDeleteResult
    return try finish(
      c, result?.result as? [NSManagedObjectID] ?? [], NSDeletedObjectIDsKey, merging)
  }

  /// Merges the changes into the coordinator's contexts, if requested.
  private func finish(
    _ c: Int, _ ids: [NSManagedObjectID], _ key: String, _ merging: Bool
  ) throws -> Outcome {
    if merging {
      let coordinator = setup.contexts[c].coordinator
      let told = contexts.indices.filter {
        setup.contexts[$0].parent == nil && setup.contexts[$0].coordinator == coordinator
      }
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [key: ids], into: told.map { contexts[$0] })
    }
    return .counted(ids.count)
  }
}
