extension KeyedArchive {
  /// Decodes an object of one of Foundation's plain classes, with everything it contains.
  ///
  /// - Returns: `nil` for nil.
  /// - Throws: ``ArchiveError`` for other classes, collections that contain themselves, and nesting over the limit.
  public func foundationValue(
    ofObject number: Int
  ) throws(ArchiveError) -> ArchiveFoundationValue? {
    var budget = FoundationValueBudget(self)
    return try foundationValue(ofObject: number, &budget)
  }

  /// Decodes an object likewise, and marks values of mutable classes as ``ArchiveFoundationValue/mutable(_:)``.
  package func markedFoundationValue(
    ofObject number: Int
  ) throws(ArchiveError) -> ArchiveFoundationValue? {
    var reading = Reading(budget: FoundationValueBudget(self), marksMutable: true)
    return try foundationValue(number, &reading)
  }

  /// Decodes a value within a budget shared by a whole archive.
  package func foundationValue(
    ofObject number: Int, _ budget: inout FoundationValueBudget
  ) throws(ArchiveError) -> ArchiveFoundationValue? {
    var reading = Reading(budget: budget, marksMutable: false)
    defer { budget = reading.budget }
    return try foundationValue(number, &reading)
  }

  /// The state of decoding a value.
  private struct Reading {
    /// The collections that contain what is being decoded.
    var path: [Int] = []
    var budget: FoundationValueBudget
    let marksMutable: Bool
  }

  private func foundationValue(
    _ number: Int, _ reading: inout Reading
  ) throws(ArchiveError) -> ArchiveFoundationValue? {
    guard !isNil(number) else { return nil }
    guard !reading.path.contains(number) else {
      throw ArchiveError(.cycle, "a collection contains itself", object: number)
    }
    guard reading.path.count < limits.depth else {
      throw ArchiveError(
        .limitExceeded, "collections nest more than \(limits.depth) deep", object: number)
    }
    try reading.budget.spend(on: number)
    reading.path.append(number)
    defer { reading.path.removeLast() }
    switch object(at: number) {
    case .null: return nil
    case .classDescription:
      throw ArchiveError(.typeMismatch, "expected a value, found a class", object: number)
    case .value(let value):
      try reading.budget.spend(list.length(of: Int(objects[number])), on: number)
      return try Self.plainValue(value, number)
    case .instance(let type, let fields):
      let value = try value(of: type, fields, at: number, &reading)
      return reading.marksMutable && type.isMutable ? .mutable(value) : value
    }
  }

  private func value(
    of type: ArchiveClass, _ fields: [ArchiveField], at number: Int, _ reading: inout Reading
  ) throws(ArchiveError) -> ArchiveFoundationValue {
    if type.isKind(of: "NSArray") {
      return .array(try members(of: "NS.objects", in: fields, at: number, &reading))
    }
    if type.isKind(of: "NSOrderedSet") {
      return .orderedSet(try orderedMembers(of: fields, at: number, &reading))
    }
    if type.isKind(of: "NSSet") {
      return .set(try members(of: "NS.objects", in: fields, at: number, &reading))
    }
    if type.isKind(of: "NSDictionary") {
      return try dictionary(of: fields, at: number, &reading)
    }
    return try scalar(type, from: fields, at: number, &reading)
  }

  private static func plainValue(
    _ value: ArchiveValue, _ number: Int
  ) throws(ArchiveError) -> ArchiveFoundationValue {
    switch value {
    case .boolean(let value): return .boolean(value)
    case .integer(let value, _):
      if let value = Int(exactly: value) { return .integer(value) }
      if let value = UInt64(exactly: value) { return .unsigned(value) }
    case .float(let value): return .double(Double(value))
    case .double(let value): return .double(value)
    case .date(let seconds): return .date(seconds)
    case .data(let bytes): return .data(bytes)
    case .string(let text): return .string(text)
    default: break
    }
    throw ArchiveError(.typeMismatch, "expected a value of Foundation's", object: number)
  }

  private func members(
    of key: String, in fields: [ArchiveField], at number: Int, _ reading: inout Reading
  ) throws(ArchiveError) -> [ArchiveFoundationValue] {
    guard case .array(let members)? = fields.first(where: { $0.key == key })?.value else {
      throw ArchiveError(.valueNotFound, "expected an array", object: number, key: key)
    }
    var values: [ArchiveFoundationValue] = []
    for member in members {
      guard case .reference(let target) = member else {
        throw ArchiveError(.typeMismatch, "expected references", object: number, key: key)
      }
      values.append(try foundationValue(target, &reading) ?? .null)
    }
    return values
  }

  /// The members of an ordered set: `NS.object.0` and so on, up to the first missing key.
  private func orderedMembers(
    of fields: [ArchiveField], at number: Int, _ reading: inout Reading
  ) throws(ArchiveError) -> [ArchiveFoundationValue] {
    // Other archivers store them in one list, as in an array.
    if fields.contains(where: { $0.key == "NS.objects" }) {
      return try members(of: "NS.objects", in: fields, at: number, &reading)
    }
    let members = Dictionary(
      fields.lazy.filter { $0.key.hasPrefix("NS.object.") }.map { ($0.key, $0.value) },
      uniquingKeysWith: { first, _ in first })
    var values: [ArchiveFoundationValue] = []
    while let member = members["NS.object.\(values.count)"] {
      guard case .reference(let target) = member else {
        throw ArchiveError(
          .typeMismatch, "expected a reference", object: number,
          key: "NS.object.\(values.count)")
      }
      values.append(try foundationValue(target, &reading) ?? .null)
    }
    guard values.count == members.count else {
      throw ArchiveError(
        .valueNotFound, "a member of the ordered set is missing", object: number,
        key: "NS.object.\(values.count)")
    }
    return values
  }

  private func dictionary(
    of fields: [ArchiveField], at number: Int, _ reading: inout Reading
  ) throws(ArchiveError) -> ArchiveFoundationValue {
    let keys = try members(of: "NS.keys", in: fields, at: number, &reading)
    let values = try members(of: "NS.objects", in: fields, at: number, &reading)
    guard keys.count == values.count else {
      throw ArchiveError(
        .malformedArchive, "\(keys.count) keys for \(values.count) values", object: number)
    }
    var entries: [ArchiveFoundationValue.Entry] = []
    for (key, value) in zip(keys, values) {
      guard case .string(let key) = key.immutable else {
        return .table(zip(keys, values).map { .init($0.immutable, $1) })
      }
      entries.append(.init(key, value))
    }
    return .dictionary(entries)
  }

  private func scalar(
    _ type: ArchiveClass, from fields: [ArchiveField], at number: Int, _ reading: inout Reading
  ) throws(ArchiveError) -> ArchiveFoundationValue {
    func field(_ key: String) -> ArchiveValue? { fields.first { $0.key == key }?.value }
    func text(_ key: String) throws(ArchiveError) -> String? {
      switch field(key) {
      case .string(let text): return text
      case .reference(let target):
        guard case .string(let text)? = try foundationValue(target, &reading)?.immutable else {
          return nil
        }
        return text
      default: return nil
      }
    }
    if type.isKind(of: "NSString"), let value = try text("NS.string") { return .string(value) }
    if type.isKind(of: "NSDate"), case .double(let seconds)? = field("NS.time") {
      return .date(seconds)
    }
    if type.isKind(of: "NSDate"), case .integer(let seconds, _)? = field("NS.time") {
      return .date(Double(seconds))
    }
    if type.isKind(of: "NSUUID"), case .data(let bytes)? = field("NS.uuidbytes"),
      bytes.count == 16
    {
      return .uuid(bytes)
    }
    if type.isKind(of: "NSData") {
      if case .data(let bytes)? = field("NS.data") { return .data(bytes) }
      if case .reference(let target)? = field("NS.data"),
        case .data(let bytes)? = try foundationValue(target, &reading)?.immutable
      {
        return .data(bytes)
      }
    }
    if type.isKind(of: "NSURL"), let relative = try text("NS.relative") {
      var base: String?
      if case .reference(let target)? = field("NS.base"),
        case .url(let text, _)? = try foundationValue(target, &reading)
      {
        base = text
      }
      return .url(relative, base: base)
    }
    if type.isKind(of: "NSDecimalNumber"), let decimal = ArchiveDecimal(fields: fields) {
      return .decimal(decimal)
    }
    if type.isKind(of: "NSNull") { return .null }
    throw ArchiveError(
      .classNotAllowed, "\(type.name) is not one of Foundation's plain classes, or is damaged",
      object: number)
  }
}

/// Limits the work caused by values that are used repeatedly: a collection that contains another twice, which contains
/// another twice, and so on, is small in the file and large in memory.
package struct FoundationValueBudget {
  private var values: Int
  private var bytes: Int

  /// Creates the budget for one archive: several times what it lists.
  ///
  /// References count as well as objects, because equal leaves are one object however often an array contains them.
  package init(_ archive: KeyedArchive) {
    let listed = archive.count &+ archive.list.referenceCount
    values = min(archive.limits.objectCount, listed &* 64 &+ 1024)
    bytes = archive.limits.expansion(ofFile: archive.list.bytes.count)
  }

  mutating func spend(on number: Int) throws(ArchiveError) {
    values -= 1
    try check(number)
  }

  mutating func spend(_ byteCount: Int, on number: Int) throws(ArchiveError) {
    bytes -= byteCount
    try check(number)
  }

  private func check(_ number: Int) throws(ArchiveError) {
    guard values >= 0, bytes >= 0 else {
      throw ArchiveError(
        .limitExceeded, "collections hold the same values too many times over", object: number)
    }
  }
}
