/// A text listing of a model for people: one property per line, in aligned columns.
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
/// `->` refers to one object, `->>` to many. Information that doesn't fit on a property's line, such as validation
/// rules and user info, follows on separate lines. Names and strings from the model are escaped so that they can't
/// break a line or control a terminal.
///
/// The library doesn't depend on a terminal. To colour a listing, pass a function that formats text according to its
/// ``Role``:
///
/// ```swift
/// let listing = ModelTextListing(schema) { role, text in
///   role == .entity ? "<b>\(text)</b>" : text
/// }
/// ```
public struct ModelTextListing {
  /// The role of a piece of the listing.
  public enum Role: String, CaseIterable, Sendable {
    /// A keyword of the listing, such as `entity`.
    case keyword
    /// The name of an entity.
    case entity
    /// The name of a property.
    case property
    /// The type of an attribute.
    case type
    /// A value from the model: a default, a predicate, a count.
    case value
    /// Anything else.
    case plain
  }

  /// Formats text according to its role.
  public typealias Paint = (Role, String) -> String

  /// The model.
  public let schema: ModelSchema

  /// The model's title in the listing, such as a file or a version; `nil` for none.
  public let title: String?

  private let paint: Paint

  /// Creates a listing.
  ///
  /// - Parameters:
  ///   - schema: The model.
  ///   - title: The model's title.
  ///   - paint: Formats text according to its role; by default the text is plain.
  public init(
    _ schema: ModelSchema, title: String? = nil, paint: @escaping Paint = { _, text in text }
  ) {
    self.schema = schema
    self.title = title
    self.paint = paint
  }

  /// The listing, ending with a newline.
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
    // Xcode gives every model an empty identifier, which is not shown.
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
