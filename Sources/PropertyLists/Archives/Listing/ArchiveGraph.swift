/// The objects of an archive, or of any property list, as plain data with numbers and references. Archive listings are
/// generated from it.
///
/// ```swift
/// let graph = ArchiveGraph(try KeyedArchive(contentsOf: "Model.mom"))
/// print(ArchiveTextListing(graph).text)
/// ```
///
/// Everything is kept, in file order.
public struct ArchiveGraph: Hashable, Sendable {
  /// The kind of file.
  public enum Kind: String, Codable, Hashable, Sendable {
    /// A keyed archive, whose objects are those of `$objects`.
    case keyedArchive
    /// Any other property list, whose objects are those of its own object table.
    case propertyList
  }

  /// An object of the graph.
  public enum Node: Hashable, Sendable {
    /// Object 0 of an archive, which represents nil.
    case null
    /// A plain value, or a collection of a property list.
    case value(ArchiveValue)
    /// An instance of a class in an archive.
    case instance(ArchiveClass, fields: [ArchiveField])
    /// The description of a class in an archive.
    case classDescription(ArchiveClass)
  }

  /// The kind of file.
  public let kind: Kind

  /// The value of `$archiver`; `nil` for a plain property list.
  public let archiver: String?

  /// The value of `$version`; `nil` for a plain property list.
  public let version: Int?

  /// The entry points: the fields of `$top`, or a property list's top object under `root`.
  public let top: [ArchiveField]

  /// The objects, by number.
  public let nodes: [Node]

  /// Creates a graph of an archive's objects.
  public init(_ archive: KeyedArchive) {
    kind = .keyedArchive
    archiver = archive.archiver
    version = archive.version
    top = archive.top
    nodes = (0..<archive.count).map { number in
      switch archive.object(at: number) {
      case .null: .null
      case .value(let value): .value(value)
      case .instance(let type, let fields): .instance(type, fields: fields)
      case .classDescription(let type): .classDescription(type)
      }
    }
  }

  /// Creates a graph of a property list's objects, numbered as in its object table.
  public init(_ list: BinaryPropertyList) {
    kind = .propertyList
    archiver = nil
    version = nil
    top = [ArchiveField("root", .reference(list.top))]
    nodes = (0..<list.count).map { .value(Self.value(list, at: $0)) }
  }

  /// Nested objects are shown as references.
  private static func value(_ list: BinaryPropertyList, at index: Int) -> ArchiveValue {
    list.archiveValue(
      at: index,
      reference: { .dictionary([ArchiveField("CF$UID", .integer(Int128($0), width: 8))]) },
      member: { .reference($0) },
      fields: { keys, values in
        zip(keys, values).map { key, value in
          ArchiveField(list.string(at: key) ?? "#\(key)", .reference(value))
        }
      })
  }
}
