import ManagedModel

extension NSAttributeType {
  /// The names of the types that a source can name, in Xcode's order.
  static let sourceNames = allCases.compactMap(\.traits.sourceName)

  /// The type that a source calls `name`.
  init?(sourceName name: String) {
    guard let type = Self.allCases.first(where: { $0.sourceName == name }) else { return nil }
    self = type
  }

  /// What a source calls the type; nil for the undefined one.
  var sourceName: String? { traits.sourceName }
}
