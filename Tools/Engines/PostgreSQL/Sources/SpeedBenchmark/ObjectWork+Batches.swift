import Foundation
import MomKit

/// What is done without objects.
extension ObjectWork {
  func dictionaries() throws -> Int {
    let request = NSFetchRequest<NSDictionary>(entityName: "Person")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["name", "age"]
    return try context().fetch(request).count
  }

  func groups() throws -> Int {
    let total = NSExpressionDescription()
    total.name = "total"
    total.expression = NSExpression(
      forFunction: "sum:", arguments: [NSExpression(forKeyPath: "age")])
    total.expressionResultType = .integer64AttributeType
    let request = NSFetchRequest<NSDictionary>(entityName: "Person")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["city", total]
    request.propertiesToGroupBy = ["city"]
    return try context().fetch(request).count
  }

  /// The values of those whom ``batchInsert(_:)`` inserts.
  func batchValues(_ count: Int) -> [[String: Any]] {
    let born = Date(timeIntervalSinceReferenceDate: 0)
    return (0..<count).map { number in
      [
        "age": Int64(1), "height": 0.0, "born": born, "city": Self.batchCity,
        "name": "Name \(number)",
      ]
    }
  }

  func batchInsert(_ values: [[String: Any]]) throws -> Int {
    let request = NSBatchInsertRequest(entityName: "Person", objects: values)
    request.resultType = .count
    return try context().execute(request, as: NSBatchInsertResult.self).result as? Int ?? 0
  }

  func batchUpdate() throws -> Int {
    let request = NSBatchUpdateRequest(entityName: "Person")
    request.propertiesToUpdate = [
      "age": NSExpression(
        forFunction: "add:to:",
        arguments: [NSExpression(forKeyPath: "age"), NSExpression(forConstantValue: 1)])
    ]
    request.resultType = .updatedObjectsCountResultType
    return try context().execute(request, as: NSBatchUpdateResult.self).result as? Int ?? 0
  }

  func batchDelete() throws -> Int {
    let people = NSFetchRequest<any NSFetchRequestResult>(entityName: "Person")
    people.predicate = NSPredicate(format: "city == %@", Self.batchCity)
    let request = NSBatchDeleteRequest(fetchRequest: people)
    request.resultType = .resultTypeCount
    return try context().execute(request, as: NSBatchDeleteResult.self).result as? Int ?? 0
  }
}

extension NSManagedObjectContext {
  /// Executes a request whose result is of a known type.
  fileprivate func execute<Result>(
    _ request: NSPersistentStoreRequest, as type: Result.Type
  ) throws -> Result {
    guard let result = try execute(request) as? Result else {
      preconditionFailure("\(request) has no \(Result.self)")
    }
    return result
  }
}
