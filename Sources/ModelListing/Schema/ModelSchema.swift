/// A model as plain data, which all listings of a model are generated from, and the machine-readable schema of `momtool
/// dump --format json`.
///
/// A schema is a value without references: entities and properties are identified by name, lists are sorted by name,
/// booleans are always present, and what a model omits is `nil`. It contains everything in the model, and nothing about
/// the original file.
/// model says, and nothing about the file it came from.
///
/// ```swift
/// let schema = ModelSchema(model)
/// for entity in schema.entities where entity.isAbstract {
///   print(entity.name)
/// }
/// ```
///
/// Names are compared as UTF-8, so the order doesn't depend on the locale.
public struct ModelSchema: Codable, Hashable, Sendable {
  /// The model's version identifiers, sorted.
  public var versionIdentifiers: [String]

  /// The checksum of the model as recorded in `VersionInfo.plist`: 44 base64 characters.
  public var checksum: String?

  /// The compiler that created the model, if the model has its stamp.
  public var compiler: Compiler?

  /// All entities, sorted by name.
  public var entities: [Entity]

  /// The named configurations, sorted by name, without the implicit one that contains all entities.
  public var configurations: [Configuration]

  /// The fetch request templates, sorted by name.
  public var fetchRequestTemplates: [FetchRequest]

  /// The localization dictionary of the model, if it has one.
  public var localizationDictionary: [String: String]?

  /// Creates a schema.
  ///
  /// Lists keep the given order.
  public init(
    versionIdentifiers: [String] = [], checksum: String? = nil, compiler: Compiler? = nil,
    entities: [Entity] = [], configurations: [Configuration] = [],
    fetchRequestTemplates: [FetchRequest] = [], localizationDictionary: [String: String]? = nil
  ) {
    self.versionIdentifiers = versionIdentifiers
    self.checksum = checksum
    self.compiler = compiler
    self.entities = entities
    self.configurations = configurations
    self.fetchRequestTemplates = fetchRequestTemplates
    self.localizationDictionary = localizationDictionary
  }

  /// The schema of a single entity with its configurations, without the model's other entities and templates.
  ///
  /// - Returns: `nil` when no entity has this name.
  public func only(entity name: String) -> ModelSchema? {
    guard let entity = entities.first(where: { $0.name == name }) else { return nil }
    var schema = self
    schema.entities = [entity]
    schema.configurations = configurations.filter { $0.entities.contains(name) }
    schema.fetchRequestTemplates = fetchRequestTemplates.filter { $0.entity == name }
    return schema
  }
}

extension ModelSchema {
  /// The stamp of the compiler that created a model: `CDMCompilerToolVersion` and `CDMCompilerXcodeVersion`.
  public struct Compiler: Codable, Hashable, Sendable {
    /// The version of the tool's bundle, such as 22758 or 23788.4.
    public var toolVersion: Double?

    /// Xcode's version as `major * 10000 + minor * 100 + patch`, such as 150400 for 15.4.
    public var xcodeVersion: Int?

    /// Creates a stamp.
    public init(toolVersion: Double? = nil, xcodeVersion: Int? = nil) {
      self.toolVersion = toolVersion
      self.xcodeVersion = xcodeVersion
    }

    /// Xcode's version in the usual form, such as `15.4` or `13.4.1`.
    public var xcodeName: String? {
      guard let xcodeVersion else { return nil }
      let (major, minor, patch) = (
        xcodeVersion / 10000, xcodeVersion / 100 % 100, xcodeVersion % 100
      )
      return patch == 0 ? "\(major).\(minor)" : "\(major).\(minor).\(patch)"
    }
  }

  /// A named subset of a model's entities.
  public struct Configuration: Codable, Hashable, Sendable {
    /// The configuration's name.
    public var name: String

    /// The names of its entities, sorted.
    public var entities: [String]

    /// Creates a configuration.
    public init(name: String, entities: [String]) {
      self.name = name
      self.entities = entities
    }
  }
}
