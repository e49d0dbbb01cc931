import DataModels
import Foundation
import PropertyLists

/// Copies between SQLite stores and those of other types, row by row under the same keys.
@_spi(Engines) public struct SQLiteStoreCopy {
  /// The number of rows written at once.
  private static let rowsAtOnce = 1000

  private let source: StoreReading
  private let engine: SQLiteEngine
  private var checksum = StoreChecksum()
  private var changedValues: [String: Int] = [:]

  private init(_ source: StoreReading, to engine: SQLiteEngine) {
    (self.source, self.engine) = (source, engine)
  }

  // MARK: From SQLite

  /// Opens a SQLite store for reading, all of it as it is at this moment.
  ///
  /// - Throws: an error also later, for a row whose external file is missing.
  public static func reading(_ url: URL, model: NSManagedObjectModel) throws -> any StoreEngine {
    let opened = try SQLiteEngine.open(
      StoreOpening(url: url, model: model, options: [NSReadOnlyPersistentStoreOption: true]))
    if let engine = opened as? SQLiteEngine {
      try engine.translatingErrors(NSPersistentStoreOpenError) {
        try engine.connection.execute("BEGIN")
        _ = try engine.connection.integer("SELECT count(*) FROM sqlite_master")
      }
      engine.requiresExternalFiles = true
    }
    return opened
  }

  // MARK: To SQLite

  /// What was copied.
  public struct Outcome {
    /// The number of rows and links.
    public let checksum: StoreChecksum
    /// The number of values that the new store keeps with less precision, by attribute, sorted.
    public let changedValues: [(attribute: String, count: Int)]

    /// Creates an outcome.
    public init(checksum: StoreChecksum, changedValues: [String: Int]) {
      self.checksum = checksum
      self.changedValues = changedValues.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
  }

  /// Makes signals that end the process remove the unfinished copies of ``make(at:of:model:progress:)``. Intended for
  /// command-line programs: a library should not change signal handling.
  public static func removeDraftsWhenSignalsEnd() { UnfinishedFiles.removeWhenSignalsEnd() }

  /// Makes a SQLite store of another store's rows, with its UUID and its program's metadata. The new store is made in a
  /// hidden folder beside its place, compared with the original, and then moved: a copy that is interrupted, or that
  /// differs, leaves nothing at that place.
  ///
  /// - Parameter progress: called with the number of rows copied so far, and then again of those compared.
  /// - Throws: an error if there is a file already.
  public static func make(
    at url: URL, of source: StoreReading, model: NSManagedObjectModel,
    progress: (_ isChecking: Bool, _ done: Int) throws -> Void
  ) throws -> Outcome {
    let folder: TemporaryFolder
    do {
      folder = try TemporaryFolder(beside: url)
      // As when the copy is moved, but before the work.
      try folder.requireAbsence(of: StoreFile.companions.map { url.lastPathComponent + $0 })
    } catch let error as PropertyListError {
      throw failure(error, url)
    }
    let draft = folder.url.appendingPathComponent(url.lastPathComponent)
    // The connection is closed on return, which writes the -wal back.
    let outcome = try fill(draft, with: source, model, progress)
    do {
      try folder.moveContents(last: url.lastPathComponent, companions: StoreFile.companions)
    } catch let error as PropertyListError {
      throw failure(error, url)
    }
    return outcome
  }

  private static func fill(
    _ draft: URL, with source: StoreReading, _ model: NSManagedObjectModel,
    _ progress: (Bool, Int) throws -> Void
  ) throws -> Outcome {
    let opened = try SQLiteEngine.open(StoreOpening(url: draft, model: model))
    defer { opened.close() }
    guard let engine = opened as? SQLiteEngine else {
      throw CoreDataError.make(NSPersistentStoreInvalidTypeError, "This isn't a SQLite store.")
    }
    var copy = SQLiteStoreCopy(source, to: engine)
    try copy.run(model, progress)
    return Outcome(checksum: copy.checksum, changedValues: copy.changedValues)
  }

  private static func failure(_ error: PropertyListError, _ url: URL) -> NSError {
    CoreDataError.make(
      NSPersistentStoreSaveError, "\(error.message)", [NSFilePathErrorKey: url.path])
  }

  private mutating func run(
    _ model: NSManagedObjectModel, _ progress: (Bool, Int) throws -> Void
  ) throws {
    var done = 0
    for root in source.roots {
      var changes = StoreChanges()
      try source.readRows(of: root) { row in
        let row = kept(row)
        try checksum.add(row)
        changes.insert(
          row.layout, key: row.key, version: max(1, row.version) - 1, values: moved(row.values))
        done += 1
        guard changes.inserted.count >= Self.rowsAtOnce else { return }
        try save(changes)
        changes = StoreChanges()
        try progress(false, done)
      }
      try save(changes)
      try progress(false, done)
      // New objects get keys after those that were ever given.
      try engine.reserveKeys(upTo: source.lastKey(of: root), for: root)
    }
    for relationship in source.relationships { try copyMembers(of: relationship) }
    engine.takeIdentifier(source.engine.reference.identifier)
    engine.metadata = source.engine.metadata
    try save(StoreChanges())
    let made = try StoreChecksum(StoreReading(engine, ModelLayout.of(model))) {
      try progress(true, $0)
    }
    try Self.require(made, equals: checksum)
  }

  /// Throws an error that names what differs, if anything does.
  public static func require(_ made: StoreChecksum, equals expected: StoreChecksum) throws {
    let differences = made.differences(from: expected)
    guard !differences.isEmpty else { return }
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "The copy differs from the original, and was discarded: \(differences.joined(separator: "; "))."
    )
  }

  private func save(_ changes: StoreChanges) throws {
    guard !changes.isEmpty || engine.metadataChanged else { return }
    _ = try engine.prepare(changes).commit()
  }

  // MARK: Rows

  private func moved(_ values: [StoredValue]) -> [StoredValue] {
    values.map { value in
      guard case .reference(let id) = value else { return value }
      return .reference(
        NSManagedObjectID(layout: id.layout, store: engine.reference, key: id.key))
    }
  }

  /// A row as SQLite keeps it.
  private mutating func kept(_ row: StoredRow) -> StoredRow {
    var values = row.values
    for property in row.layout.values where values.indices.contains(property.slot) {
      guard let attribute = property.description as? NSAttributeDescription,
        let kept = Self.kept(values[property.slot], attribute)
      else { continue }
      values[property.slot] = kept
      changedValues["\(row.layout.name).\(property.name)", default: 0] += 1
    }
    return StoredRow(layout: row.layout, key: row.key, version: row.version, values: values)
  }

  /// The value that is read back, where it is another: decimals are stored as doubles, and there is no NaN.
  private static func kept(
    _ value: StoredValue, _ attribute: NSAttributeDescription
  ) -> StoredValue? {
    switch value {
    case .real(let number): return number.isNaN ? .null : nil
    case .box(let box):
      if let number = box.value as? Decimal {
        guard let double = Double(number.description), !double.isNaN else { return .null }
        let kept = Decimal(meantBy: double) ?? .nan
        return kept == number ? nil : .box(ValueBox(kept))
      }
      guard let composite = attribute as? NSCompositeAttributeDescription,
        var values = box.value as? [String: Any]
      else { return nil }
      var differs = false
      for element in composite.elements {
        guard
          let stored = AttributeCodec.stored(values[element.name], type: element.attributeType),
          let kept = Self.kept(stored, element)
        else { continue }
        values[element.name] = AttributeCodec.object(kept, type: element.attributeType)
        differs = true
      }
      return differs ? (values.isEmpty ? .null : .box(ValueBox(values))) : nil
    case .null, .integer, .text, .data, .reference: return nil
    }
  }

  // MARK: Members

  private mutating func copyMembers(of relationship: StoreReading.Relationship) throws {
    var changes = StoreChanges()
    var count = 0
    try source.readMembers(of: relationship) { owner, members in
      checksum.add(relationship, owner, members)
      let property = relationship.property
      let ids = members.map {
        NSManagedObjectID(layout: $0.layout, store: engine.reference, key: $0.key)
      }
      changes.members.append(
        MemberChange(
          owner: RowChange(owner), property: property,
          added: property.isToldByMembers ? [] : ids, removed: [],
          order: property.isOrdered ? ids : nil))
      count += ids.count
      guard count >= Self.rowsAtOnce else { return }
      try write(changes)
      (changes, count) = (StoreChanges(), 0)
    }
    try write(changes)
  }

  private func write(_ changes: StoreChanges) throws {
    guard !changes.members.isEmpty else { return }
    try engine.translatingErrors(NSPersistentStoreSaveError) {
      try engine.connection.transaction(.immediate) {
        var writer = RelationshipWriter(changes, engine: engine)
        try writer.write()
      }
    }
  }
}
