/// One step of a program. What doesn't apply, because an earlier step is missing, does nothing: so that any
/// part of a program is a program.
indirect enum Operation: Codable, Hashable {
  /// Changes of objects, in the context of a number.
  case insert(Int, ObjectName, entity: String, [String: Int])
  case set(Int, ObjectName, String, to: Int?)
  case point(Int, ObjectName, String, to: ObjectName?)
  case add(Int, ObjectName, String, member: ObjectName)
  case remove(Int, ObjectName, String, member: ObjectName)
  case replace(Int, ObjectName, String, members: [ObjectName])
  case delete(Int, ObjectName)

  /// What happens to a context as a whole.
  case settle(Int)
  case save(Int)
  case rollback(Int)
  case reset(Int)
  case refreshAll(Int)
  case refresh(Int, ObjectName, merging: Bool)
  case undo(Int)
  case redo(Int)
  case obtainIDs(Int)
  /// Takes another context's last save in.
  case merge(from: Int, into: Int)

  /// Which state of the files a context reads: from its next look at them on the present one, or always the
  /// newest.
  case pin(Int)
  case unpin(Int)
  /// Takes the stores of the context's coordinator away and adds them again.
  case reopen(Int)
  case setMetadata(Int, to: Int)
  /// Opens all stores again with another model, to which they migrate.
  case evolve(Int, Evolution)

  /// Reading.
  case look(Int)
  case existing(Int, ObjectName)
  case fetch(Int, FetchPlan)
  case select(Int, SelectPlan)

  /// Requests that go past the objects.
  case batchInsert(Int, entity: String, [[String: Int]], merging: Bool)
  case batchUpdate(Int, entity: String, Condition?, String, to: Int?, merging: Bool)
  case batchDelete(Int, entity: String, Condition?, merging: Bool)

  /// The operation meets a fault in the stores' files.
  case under(Fault, Operation)

  /// The context the operation works in.
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
      .batchDelete(let context, _, _, _):
      context
    case .under(_, let operation): operation.context
    }
  }
}
