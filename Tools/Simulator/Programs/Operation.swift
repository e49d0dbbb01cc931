/// One step of a program. A step that can't be performed, because an earlier one is missing, does nothing; so any
/// subset of a program's steps is a valid program.
indirect enum Operation: Codable, Sendable, Hashable {
  /// Changes of objects. The first number is the context.
  case insert(Int, ObjectName, entity: String, [String: Int])
  case set(Int, ObjectName, String, to: Int?)
  case point(Int, ObjectName, String, to: ObjectName?)
  case add(Int, ObjectName, String, member: ObjectName)
  case remove(Int, ObjectName, String, member: ObjectName)
  case replace(Int, ObjectName, String, members: [ObjectName])
  case delete(Int, ObjectName)

  /// Operations on a whole context.
  case settle(Int)
  case save(Int)
  case rollback(Int)
  case reset(Int)
  case refreshAll(Int)
  case refresh(Int, ObjectName, merging: Bool)
  case undo(Int)
  case redo(Int)
  case obtainIDs(Int)
  /// Merges another context's last save.
  case merge(from: Int, into: Int)

  /// Which state of the files a context reads: pinned to the state at its next read, or always the newest.
  case pin(Int)
  case unpin(Int)
  /// Removes the stores from the context's coordinator and adds them again.
  case reopen(Int)
  case setMetadata(Int, to: Int)
  /// Reopens all stores with another model, which migrates them.
  case evolve(Int, Evolution)

  /// Reading.
  case look(Int)
  case existing(Int, ObjectName)
  case fetch(Int, FetchPlan)
  case select(Int, SelectPlan)

  /// Batch requests, which bypass the objects.
  case batchInsert(Int, entity: String, [[String: Int]], merging: Bool)
  case batchUpdate(Int, entity: String, Condition?, String, to: Int?, merging: Bool)
  case batchDelete(Int, entity: String, Condition?, merging: Bool)

  /// What only open programs do.
  case rare(Int, RareStep)

  /// Performs the operation while the stores' files have a fault.
  case under(Fault, Operation)

  /// The context of the operation.
  var context: Int {
    switch self {
    case .insert(let context, _, _, _), .set(let context, _, _, _), .point(let context, _, _, _),
      .add(let context, _, _, _), .remove(let context, _, _, _), .replace(let context, _, _, _),
      .delete(let context, _), .settle(let context), .save(let context), .rollback(let context),
      .reset(let context), .refreshAll(let context), .refresh(let context, _, _),
      .undo(let context), .redo(let context), .pin(let context), .unpin(let context),
      .reopen(let context), .setMetadata(let context, _), .obtainIDs(let context),
      .evolve(let context, _),
      .merge(_, let context),
      .look(let context), .existing(let context, _), .fetch(let context, _),
      .select(let context, _),
      .batchInsert(let context, _, _, _), .batchUpdate(let context, _, _, _, _, _),
      .batchDelete(let context, _, _, _), .rare(let context, _):
      context
    case .under(_, let operation): operation.context
    }
  }

  /// The highest number that the operation gives to an object; 0 if it makes none.
  var lastName: ObjectName {
    switch self {
    case .insert(_, let name, _, _): name
    case .batchInsert(_, _, let rows, _): rows.compactMap { $0[ModelPlan.serial] }.max() ?? 0
    case .under(_, let operation): operation.lastName
    default: 0
    }
  }

  /// The name of the case; for a step with a fault, that of the step itself.
  var sort: String? {
    if case .under(_, let operation) = self { return operation.sort }
    return Mirror(reflecting: self).children.first?.label
  }
}
