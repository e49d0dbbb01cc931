import DataModels
import Foundation
import ManagedObjects
import PredicateFormat

/// A condition on the objects of an entity, checked strictly: a mistake that would make it false for every object is an
/// error with a location, rather than a condition without matches.
///
/// Keys must exist in the model, variables must have values, and compared values must be of the same kind. Where an
/// attribute or a relationship determines the meaning, strings represent dates (in ISO 8601), UUIDs, URLs, bytes (in
/// base64), entities by name, and objects by name, such as `Author/p2`.
struct StoreCondition {
  /// The condition, with variables replaced.
  let predicate: NSPredicate

  /// Parses and checks a condition.
  ///
  /// - Parameters:
  ///   - text: The predicate format.
  ///   - entity: The entity of the objects.
  ///   - values: The values of variables, and those of `%@` in order.
  ///   - object: Returns the identity of an object in the store.
  /// - Throws: ``Diagnostic`` with a marker under the mistake.
  init(
    _ text: String, on entity: NSEntityDescription, values: PredicateArguments,
    object: @escaping (_ entity: String, _ key: Int64) throws -> NSManagedObjectID?
  ) throws {
    let tree: PredicateTree
    do {
      tree = try PredicateTree(
        parsing: text, arguments: values.positional.map { PredicateValue(bridging: $0) })
    } catch let error as PredicateFormatError {
      throw Diagnostic(error.description, path: "--where", column: error.column, in: text)
    }
    var reader = ConditionReader(text: text, option: "--where", values: values, object: object)
    predicate = try reader.read(tree, ["SELF": entity]).predicate
    try values.refuseUnused(besides: reader.usedNames, "the condition")
  }

  /// Checks that objects of an entity can be sorted by a key path.
  ///
  /// - Throws: ``Diagnostic`` naming the option.
  static func checkSortKey(_ path: String, of entity: NSEntityDescription) throws {
    let reader = ConditionReader(
      text: path, option: "--sort", values: PredicateArguments(), object: { _, _ in nil })
    let kind = try reader.kind(ofPath: path, in: entity)
    guard !kind.isOrdered else { return }
    let what =
      switch kind {
      case .collection: "it is to-many"
      case .object: "it is an object: use one of its attributes, or a path such as \(path).name"
      default: "it is \(kind.name)"
      }
    throw reader.problem("objects can't be sorted by '\(path)': \(what)", at: path)
  }
}
