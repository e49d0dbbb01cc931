import CoreData

/// A name tag that observes an employee's name.
final class NameTag: NSObject {
  private var observation: NSKeyValueObservation?
  private(set) var text: String
  private(set) var earlier: [String] = []

  init(_ employee: Employee) {
    text = employee.givenName
    super.init()
    observation = employee.observe(\.givenName, options: [.old, .new]) { [weak self] _, change in
      guard let self else { return }
      self.earlier.append(change.oldValue ?? "")
      self.text = change.newValue ?? ""
    }
  }
}
