import PredicateFormat

/// The record of a property in an image.
struct OptimizedProperty {
  /// The kind of property.
  enum Kind: Int {
    case attribute = 2
    case fetched = 3
    case relationship = 4
    case expression = 5
    case derived = 6
  }

  /// The default value of an attribute, depending on its type.
  enum Default {
    case none
    case integer(Int64)
    case double(Double)
    case float(Float)
    /// A string, in the table of strings.
    case string(Int)
    /// A decimal number as text, in the table of names.
    case decimal(Int)
    /// An archive, in the table of data.
    case data(Int)
  }

  /// Known bits of ``flags``; the others are used by the framework at run time.
  enum Flag {
    static let readOnly = 0x1
    static let transient = 0x2
    static let optional = 0x4
    static let indexed = 0x8
    static let ordered = 0x100
  }

  var kind = Kind.attribute
  var flags = 0
  var versionHashModifier = 0
  var versionHash = 0
  var entity = 0
  var name = 0
  /// The data of the predicates.
  var predicates: [Int] = []
  /// Strings or archives, one per predicate.
  var warnings: [(isData: Bool, number: Int)] = []
  var renamingIdentifier = 0
  var minValue: UInt64 = 0
  var maxValue: UInt64 = 0
  var userInfo = 0

  // Attributes.
  var transformer = 0
  var type = 0
  var valueClass = 0
  var defaultValue = Default.none
  /// The value of `NSFlagsKey` in an archive.
  var attributeFlags = 0
  var derivation = 0
  var filter = 0

  // Relationships.
  var destination = 0
  var inverse: Int?
  var maxCount = 0
  var minCount = 0
  var deleteRule = 0

  // Fetched properties.
  var request = 0

  /// The record's offset, for messages.
  let offset: Int

  private init(offset: Int) {
    self.offset = offset
  }

  /// Reads all property records of a file.
  static func all(
    _ bytes: [UInt8], _ header: OptimizedHeader
  ) throws(ModelFileError) -> [OptimizedProperty] {
    var properties: [OptimizedProperty] = []
    // The counts by kind come first.
    var offset = header.properties + (header.generation == .current ? 20 : 16)
    for _ in 0..<header.propertyCount {
      var cursor = OptimizedCursor(bytes, at: offset)
      let size = try cursor.word()
      guard size >= 4, size <= bytes.count - offset else {
        throw ModelFileError(
          .malformed, "a property's record of \(size) bytes", offset: offset)
      }
      cursor = OptimizedCursor(bytes, at: cursor.offset, end: offset + size)
      var property = OptimizedProperty(offset: offset)
      try property.read(from: &cursor)
      properties.append(property)
      offset = (offset + size + 3) & ~3
    }
    return properties
  }

  private mutating func read(from cursor: inout OptimizedCursor) throws(ModelFileError) {
    let number = try cursor.word()
    guard let kind = Kind(rawValue: number) else {
      throw ModelFileError(.malformed, "\(number) isn't a kind of property", offset: offset)
    }
    self.kind = kind
    flags = try cursor.word()
    versionHashModifier = try cursor.word()
    versionHash = try cursor.word()
    entity = try cursor.word()
    name = try cursor.word()
    if try cursor.word() != 0 { try readValidation(from: &cursor) }
    if try cursor.word() != 0 { try readExtras(from: &cursor) }
    userInfo = try cursor.word()
    // The position among the entity's properties sorted by name.
    _ = try cursor.word()
    switch kind {
    case .attribute: try readAttribute(from: &cursor)
    case .derived:
      try readAttribute(from: &cursor)
      derivation = try cursor.word()
      filter = try cursor.word()
    case .relationship: try readRelationship(from: &cursor)
    case .fetched: request = try cursor.word()
    case .expression:
      // Not seen in any file so far: the expression and its result type, as in archives.
      if cursor.remaining >= 8 {
        derivation = try cursor.word()
        type = try cursor.word()
      }
    }
  }

  private mutating func readValidation(
    from cursor: inout OptimizedCursor
  ) throws(ModelFileError) {
    predicates = try cursor.array()
    let count = try cursor.arrayCount(elementSize: 16)
    for _ in 0..<count {
      let isData = try cursor.long() != 0
      warnings.append((isData, try cursor.long()))
    }
  }

  private mutating func readExtras(from cursor: inout OptimizedCursor) throws(ModelFileError) {
    // The first word tells whether the property has a renaming identifier; if not, the second word is zero.
    let isRenamed = try cursor.word() != 0
    let identifier = try cursor.word()
    if isRenamed { renamingIdentifier = identifier }
    minValue = try cursor.longBits()
    maxValue = try cursor.longBits()
  }

  private mutating func readAttribute(
    from cursor: inout OptimizedCursor
  ) throws(ModelFileError) {
    transformer = try cursor.word()
    type = try cursor.word()
    valueClass = try cursor.word()
    if try cursor.word() != 0 {
      switch type {
      case 100, 200, 800:
        defaultValue = .integer(Int64(Int32(truncatingIfNeeded: try cursor.word())))
      case 300: defaultValue = .integer(Int64(bitPattern: try cursor.longBits()))
      case 500, 900: defaultValue = .double(Double(bitPattern: try cursor.longBits()))
      case 600:
        defaultValue = .float(Float(bitPattern: UInt32(truncatingIfNeeded: try cursor.word())))
      case 700: defaultValue = .string(try cursor.word())
      case 400: defaultValue = .decimal(try cursor.word())
      default: defaultValue = .data(try cursor.word())
      }
    }
    attributeFlags = try cursor.word()
  }

  private mutating func readRelationship(
    from cursor: inout OptimizedCursor
  ) throws(ModelFileError) {
    destination = try cursor.word()
    let hasInverse = try cursor.word() != 0
    let number = try cursor.word()
    if hasInverse { inverse = number }
    maxCount = Int(Int32(truncatingIfNeeded: try cursor.word()))
    minCount = Int(Int32(truncatingIfNeeded: try cursor.word()))
    deleteRule = try cursor.word()
  }
}

extension OptimizedProperty {
  /// Adds the predicates for minimum and maximum values, which an image stores as numbers, with the form and error
  /// codes that Core Data uses.
  func addBounds(to property: NSPropertyDescription) {
    if attributeFlags & 0x2 != 0 {
      add(.greaterThanOrEqualTo, minValue, isMinimum: true, to: property)
    }
    if attributeFlags & 0x1 != 0 {
      add(.lessThanOrEqualTo, maxValue, isMinimum: false, to: property)
    }
  }

  private func add(
    _ operation: ComparisonOperator, _ bits: UInt64, isMinimum: Bool,
    to property: NSPropertyDescription
  ) {
    let subject: ExpressionTree
    let bound: PredicateValue
    let code: Int
    switch type {
    case 700:
      subject = .key("length")
      bound = .integer(Int64(bitPattern: bits))
      code = isMinimum ? 1670 : 1660
    case 900:
      subject = .key("timeIntervalSinceReferenceDate")
      bound = .double(Double(bitPattern: bits))
      code = isMinimum ? 1640 : 1630
    case 100, 200, 300:
      subject = .evaluatedObject
      bound = .integer(Int64(bitPattern: bits))
      code = isMinimum ? 1620 : 1610
    default:
      subject = .evaluatedObject
      bound = .double(Double(bitPattern: bits))
      code = isMinimum ? 1620 : 1610
    }
    let tree = PredicateTree.compare(subject, operation, .constant(bound))
    property.extra.validationPredicates.append(tree.predicate)
    property.extra.validationWarnings.append(code)
  }
}

extension OptimizedProperty {
  /// The record's flags as a description's flags.
  var propertyFlags: PropertyFlags {
    var result: PropertyFlags = []
    if flags & Flag.readOnly != 0 { result.insert(.readOnly) }
    if flags & Flag.transient != 0 { result.insert(.transient) }
    if flags & Flag.optional != 0 { result.insert(.optional) }
    if flags & Flag.indexed != 0 { result.insert(.indexed) }
    if flags & Flag.ordered != 0 { result.insert(.ordered) }
    // These flags are implied by the property's class and aren't stored in the record.
    if kind == .derived || kind == .fetched { result.insert(.readOnly) }
    if kind == .fetched { result.insert(.transient) }
    return result.union(PropertyFlags(attributeWord: Int(attributeFlags)))
  }
}
