import DataModels
import Foundation
import ManagedObjects
import PredicateFormat

/// A condition on the objects of an entity, read strictly: what can't be true of any object because it was
/// written wrongly is an error with its place, and not a condition that nothing fulfils.
///
/// Keys must be those of the model, variables must have values, and what is compared must be of one kind.
/// Where an attribute or a relationship says what a text must be, texts stand for dates (in ISO 8601), UUIDs,
/// URLs, bytes (in base64), entities by their names, and objects by theirs, such as `Author/p2`.
struct StoreCondition {
  /// The condition, with variables replaced.
  let predicate: NSPredicate

  /// Reads a condition.
  ///
  /// - Parameters:
  ///   - text: the predicate's format.
  ///   - entity: the entity whose objects it is about.
  ///   - values: the values of variables, and those of `%@` in their order.
  ///   - object: gives the identity of an object of the store.
  /// - Throws: ``Diagnostic`` with a mark under what is wrong.
  init(
    _ text: String, on entity: NSEntityDescription, values: PredicateArguments,
    object: @escaping (_ entity: String, _ key: Int64) throws -> NSManagedObjectID?
  ) throws {
    let tree: PredicateTree
    do {
      tree = try PredicateTree(
        parsing: text, arguments: values.positional.map { PredicateValue(bridging: $0) })
    } catch let error as PredicateFormatError {
      throw Diagnostic(
        error.description + PredicateArguments.pointer(error.column, in: text), path: "--where")
    }
    var reader = ConditionReader(text: text, option: "--where", values: values, object: object)
    predicate = try reader.read(tree, ["SELF": entity]).predicate
    try values.refuseUnused(besides: reader.usedNames, "the condition")
  }

  /// Looks whether objects of an entity can be sorted by a path of keys.
  ///
  /// - Throws: ``Diagnostic`` that names the option.
  static func checkSortKey(_ path: String, of entity: NSEntityDescription) throws {
    let reader = ConditionReader(
      text: path, option: "--sort", values: PredicateArguments(), object: { _, _ in nil })
    let kind = try reader.kind(ofPath: path, in: entity)
    guard !kind.isOrdered else { return }
    let what =
      switch kind {
      case .collection: "it leads to several values"
      case .object: "it is an object: name one of its attributes, or a path such as \(path).name"
      default: "it is \(kind.name)"
      }
    throw reader.problem("objects can't be sorted by '\(path)': \(what)", at: path)
  }
}
