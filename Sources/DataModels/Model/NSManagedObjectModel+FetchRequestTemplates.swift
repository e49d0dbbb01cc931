import Foundation
import PredicateFormat

extension NSManagedObjectModel {
  /// The model's fetch requests by name.
  public final var fetchRequestTemplatesByName: [String: NSFetchRequest<NSFetchRequestResult>] {
    Dictionary(uniqueKeysWithValues: storedTemplates.map { ($0.key, $0.value) })
  }

  /// The fetch request of this name itself, variables and all; `nil` when there is none.
  public final func fetchRequestTemplate(
    forName name: String
  ) -> NSFetchRequest<NSFetchRequestResult>? {
    storedTemplates[name]
  }

  /// Sets, replaces, or with `nil` removes the fetch request of a name.
  ///
  /// The model takes the request over: the request no longer keeps its entity alive.
  public final func setFetchRequestTemplate(
    _ fetchRequestTemplate: NSFetchRequest<NSFetchRequestResult>?, forName name: String
  ) {
    willChange("setFetchRequestTemplate:forName:")
    fetchRequestTemplate?.joinModel()
    storedTemplates[name] = fetchRequestTemplate
  }

  /// A copy of the fetch request of this name with values in the place of its variables.
  ///
  /// ```swift
  /// // The template's predicate: lastName == $NAME
  /// let request = model.fetchRequestFromTemplate(
  ///   withName: "byName", substitutionVariables: ["NAME": "Smith"])
  /// ```
  ///
  /// - Parameters:
  ///   - name: The template's name.
  ///   - variables: The values by the variables' names, without `$`; `NSNull` for none. A variable
  ///     that isn't among them stays, and must be bound before the request is used.
  /// - Returns: An editable request; `nil` when there is no such template.
  public final func fetchRequestFromTemplate(
    withName name: String, substitutionVariables variables: [String: Any]
  ) -> NSFetchRequest<NSFetchRequestResult>? {
    guard let template = storedTemplates[name] else { return nil }
    let request = template.duplicate()
    let values = variables.mapValues { $0 is NSNull ? .null : PredicateValue(bridging: $0) }
    request.predicate = template.predicate?.tree.substituting(values).predicate
    request.havingPredicate =
      template.havingPredicate?.tree.substituting(values).predicate
    return request
  }
}
