/// The text form of a model, for people: one property a line, in aligned columns.
///
/// ```
/// model
///   version identifiers  "1.2"
///   compiler             Xcode 15.4 (tool 22758)
///
/// entity Person: Being  class App.Person
///   attribute     age    Integer 16   required  default 0
///   attribute     name   String       optional  default "?"
///   relationship  pets   ->> Animal   optional  inverse owner  delete nullify
///   index         byAge  age ascending
/// ```
///
/// `->` leads to one object, `->>` to many. What has no room on its property's line, such as rules
/// of validation and user info, follows on lines of its own. Names and texts from the model are
/// shown so that none can break a line or steer a terminal.
///
/// The library knows no terminal. To colour a listing, hand it a function that dresses a text by
/// its ``Role``:
///
/// ```swift
/// let listing = ModelTextListing(schema) { role, text in
///   role == .entity ? "<b>\(text)</b>" : text
/// }
/// ```
public struct ModelTextListing {
  /// What a piece of the listing is.
  public enum Role: String, CaseIterable, Sendable {
    /// A word of the listing itself, such as `entity`.
    case keyword
    /// The name of an entity.
    case entity
    /// The name of a property.
    case property
    /// The type of an attribute.
    case type
    /// A value of the model: a default, a predicate, a count.
    case value
    /// All else.
    case plain
  }

  /// Dresses a text by what it is.
  public typealias Paint = (Role, String) -> String

  /// The model.
  public let schema: ModelSchema

  /// What the listing calls the model: a file or a version; `nil` for no name.
  public let title: String?

  private let paint: Paint

  /// Creates a listing.
  ///
  /// - Parameters:
  ///   - schema: the model.
  ///   - title: what to call the model.
  ///   - paint: dresses a text by what it is; without it the text is plain.
  public init(
    _ schema: ModelSchema, title: String? = nil, paint: @escaping Paint = { _, text in text }
  ) {
    self.schema = schema
    self.title = title
    self.paint = paint
  }

  /// The listing, with a newline at its end.
  public var text: String {
    var table = TextTable(paint: paint)
    listModel(into: &table)
    for entity in schema.entities {
      table.endBlock()
      EntityRows(entity).list(into: &table)
    }
    for configuration in schema.configurations {
      table.endBlock()
      list(configuration, into: &table)
    }
    for template in schema.fetchRequestTemplates {
      table.endBlock()
      RequestRows(template).list(into: &table)
    }
    return table.finish()
  }

  private func listModel(into table: inout TextTable) {
    table.heading(
      [.keyword("model")] + (title.map { [.space, .plain(ListingText.title($0))] } ?? []))
    // Xcode gives every model the empty identifier; that says nothing.
    if !schema.versionIdentifiers.allSatisfy(\.isEmpty) {
      let names = schema.versionIdentifiers.map { ListingText.quoted($0) }.joined(separator: ", ")
      table.row([[.keyword("version identifiers")]], [.value(names)])
    }
    if let compiler = schema.compiler {
      let xcode = compiler.xcodeName.map { "Xcode \($0)" }
      let tool = compiler.toolVersion.map { "tool \(ListingText.number($0))" }
      let text = [xcode, tool].compactMap { $0 }.joined(separator: ", ")
      table.row([[.keyword("compiler")]], [.value(text)])
    }
    if let checksum = schema.checksum {
      table.row([[.keyword("checksum")]], [.value(checksum)])
    }
    table.row([[.keyword("entities")]], [.value("\(schema.entities.count)")])
    for (key, text) in (schema.localizationDictionary ?? [:]).sorted(by: { $0.key < $1.key }) {
      table.row(
        [[.keyword("localization")]],
        [.plain(ListingText.name(key)), .plain(" = "), .value(ListingText.quoted(text))])
    }
  }

  private func list(_ configuration: ModelSchema.Configuration, into table: inout TextTable) {
    table.heading([
      .keyword("configuration"), .space, .entity(ListingText.name(configuration.name)),
    ])
    for entity in configuration.entities {
      table.row([], [.plain(ListingText.name(entity))])
    }
  }
}
