/// The objects of an archive, or of any property list, as plain data with numbers and references:
/// what the listings of an archive are drawn from.
///
/// ```swift
/// let graph = ArchiveGraph(try KeyedArchive(contentsOf: "Model.mom"))
/// print(ArchiveTextListing(graph).text)
/// ```
///
/// Everything is in the file's order, and nothing is left out.
public struct ArchiveGraph: Hashable, Sendable {
  /// What the file is.
  public enum Kind: String, Codable, Hashable, Sendable {
    /// A keyed archive: objects are those of `$objects`.
    case keyedArchive
    /// Another property list: objects are those of its own table.
    case propertyList
  }

  /// An object of the graph.
  public enum Node: Hashable, Sendable {
    /// Object 0 of an archive, which stands for no object.
    case null
    /// A value that stands for itself, or a collection of a property list.
    case value(ArchiveValue)
    /// An instance of a class of an archive.
    case instance(ArchiveClass, fields: [ArchiveField])
    /// The description of a class of an archive.
    case classDescription(ArchiveClass)
  }

  /// What the file is.
  public let kind: Kind

  /// What `$archiver` says, of an archive.
  public let archiver: String?

  /// What `$version` says, of an archive.
  public let version: Int?

  /// Where to begin: the fields of `$top`, or the top object of a property list under `root`.
  public let top: [ArchiveField]

  /// The objects, by number.
  public let nodes: [Node]

  /// Takes the objects of an archive.
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

  /// Takes the objects of a property list, with the numbers of its object table.
  public init(_ list: BinaryPropertyList) {
    kind = .propertyList
    archiver = nil
    version = nil
    top = [ArchiveField("root", .reference(list.top))]
    nodes = (0..<list.count).map { .value(Self.value(list, at: $0)) }
  }

  /// What other objects hold is shown as a reference to each.
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
