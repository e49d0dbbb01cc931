import ManagedModel

/// A model that was read for a command, and where it came from.
struct ModelInput {
  /// The path as the user gave it, or the path inside the folder the user gave.
  var path: String
  /// The name of the version, for a model of a bundle.
  var version: String?
  /// The model.
  var model: NSManagedObjectModel
}

/// Which of a bundle's versions a command wants.
enum ModelSelection {
  /// The current one.
  case current
  /// The one of this name.
  case named(String)
  /// All of them, by name.
  case all
}
