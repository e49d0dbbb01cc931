import Foundation
import PredicateFormat

extension NSManagedObjectModel {
  /// The model's fetch request templates by name.
  public final var fetchRequestTemplatesByName: [String: NSFetchRequest<NSFetchRequestResult>] {
    Dictionary(uniqueKeysWithValues: storedTemplates.map { ($0.key, $0.value) })
  }

  /// Returns the fetch request template with a name, including its variables; `nil` when there is none.
  public final func fetchRequestTemplate(
    forName name: String
  ) -> NSFetchRequest<NSFetchRequestResult>? {
    storedTemplates[name]
  }

  /// Sets or replaces the fetch request template with a name, or removes it with `nil`.
  ///
  /// The model takes ownership of the request, which no longer retains its entity.
  public final func setFetchRequestTemplate(
    _ fetchRequestTemplate: NSFetchRequest<NSFetchRequestResult>?, forName name: String
  ) {
    willChange("setFetchRequestTemplate:forName:")
    fetchRequestTemplate?.joinModel()
    storedTemplates[name] = fetchRequestTemplate
  }

  /// Returns a copy of the fetch request template with a name, with its variables replaced by values.
  ///
  /// ```swift
  /// // The template's predicate: lastName == $NAME
  /// let request = model.fetchRequestFromTemplate(
  ///   withName: "byName", substitutionVariables: ["NAME": "Smith"])
  /// ```
  ///
  /// - Parameters:
  ///   - name: The template's name.
  ///   - variables: The values by variable name, without `$`; `NSNull` for nil. Other variables remain, and must be
  ///     bound before the request is used.
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
