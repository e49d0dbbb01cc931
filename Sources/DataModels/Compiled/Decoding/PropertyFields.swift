import PropertyLists

/// The fields of an archived property, found by key and decoded on demand.
struct PropertyFields {
  /// The number of the property's object.
  let number: Int
  private let shape: ArchiveFieldLayout
  private let values: BinaryScanner.References

  init(_ number: Int, shape: ArchiveFieldLayout, values: BinaryScanner.References) {
    self.number = number
    self.shape = shape
    self.values = values
  }

  /// The field with a key; `nil` when the object has none.
  @inline(__always)
  subscript(key: ModelKey) -> ArchiveFieldReader.Field? {
    let position = shape.position(of: key)
    return position < 0 ? nil : field(at: position, key)
  }

  /// The property list object of the class; `nil` when the object has none.
  @inline(__always)
  var type: Int? { shape.type < 0 ? nil : values[shape.type] }

  /// The flags that have fields of their own.
  var flags: [(position: Int, flag: PropertyFlags)] { shape.flags }

  /// The fields whose keys aren't keys of properties.
  var unknown: [ArchiveFieldReader.Field] {
    shape.unknown.isEmpty ? [] : shape.unknown.map { field(at: $0, nil) }
  }

  /// The field at a position.
  @inline(__always)
  func field(at position: Int, _ key: ModelKey?) -> ArchiveFieldReader.Field {
    ArchiveFieldReader.Field(
      key: key, keyObject: shape.keys[position], value: values[position])
  }

  /// A field that the flag word may declare absent. Core Data then ignores it, and it counts as unknown.
  enum Declarable: Int, CaseIterable {
    case validationPredicates = 0x10
    case validationWarnings = 0x20
    case userInfo = 0x40
    case versionHashModifier = 0x80

    var key: ModelKey {
      switch self {
      case .validationPredicates: .validationPredicates
      case .validationWarnings: .validationWarnings
      case .userInfo: .userInfo
      case .versionHashModifier: .versionHashModifier
      }
    }
  }
}
