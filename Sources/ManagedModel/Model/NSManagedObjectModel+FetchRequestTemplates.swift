import Foundation

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
}
