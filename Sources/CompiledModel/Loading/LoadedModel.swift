import ManagedModel

/// A model that was read, and where it came from.
public struct LoadedModel {
  /// The file that was read.
  public var path: String
  /// The name of the version, for a model of a bundle.
  public var version: String?
  /// The model.
  public var model: NSManagedObjectModel

  /// Names a model's origin.
  public init(path: String, version: String? = nil, model: NSManagedObjectModel) {
    self.path = path
    self.version = version
    self.model = model
  }
}
