import DataModels
import Foundation
import ManagedObjects

extension ReportData.Store {
  /// The number of rows shown per entity, and how many further rows that are referenced by others.
  private static let (firstCount, followedCount) = (12, 24)
  /// The number of related objects listed.
  private static let linkCount = 8

  /// Reads a store, without modifying it or its folder.
  ///
  /// - Parameters:
  ///   - url: The store.
  ///   - model: The model with which to read its rows.
  ///   - places: The indexes of the model's entities by name.
  /// - Throws: Any error in reading the store.
  public init(at url: URL, model: NSManagedObjectModel, places: [String: Int]) throws {
    let file = try StoreFile(at: url.path)
    self = try StoreRows.rereading(
      opening: {
        try StoreRows(
          url, model: model, framework: file.metadata.frameworkVersion, keepsGoing: true)
      },
      { rows in Self(rows, file, places: places) })
    if let transactions = try? StoreHistoryListing(
      url, model: model, framework: file.metadata.frameworkVersion
    ).transactions {
      history = History(transactions)
    }
  }

  private init(_ rows: StoreRows, _ file: StoreFile, places: [String: Int]) {
    let statistics = StoreStatistics(rows)
    self.init(
      identifier: file.metadata.identifier, framework: file.metadata.frameworkVersion,
      hasModel: file.compressedModel != nil, fileBytes: statistics.fileBytes,
      freeBytes: statistics.freeBytes, entities: [],
      tables: statistics.tables?.map {
        Table(name: $0.name, bytes: $0.bytes, indexBytes: $0.indexBytes)
      }, areTablesEstimated: statistics.areTablesEstimated ? true : nil)
    var samples = SampleReader(rows, places: places)
    for entity in statistics.entities where (entity.rows ?? 0) > 0 {
      samples.readFirst(Self.firstCount, of: entity.name)
    }
    samples.follow(Self.followedCount)
    entities = statistics.entities.compactMap { entity in
      guard let place = places[entity.name] else { return nil }
      return Entity(
        entity: place, table: entity.table, rows: entity.rows,
        attributes: entity.attributes.map(Self.attribute).orNil,
        relationships: entity.relationships.map(Self.relationship).orNil,
        columns: samples.columns(of: entity.name)?.orNil,
        samples: samples.samples(of: entity.name)?.orNil)
    }
    problems = (statistics.problems + rows.problems + samples.problems).orNil
  }

  private static func attribute(_ counted: StoreStatistics.Attribute) -> Attribute {
    Attribute(
      name: counted.name, nulls: counted.nulls, least: counted.range.flatMap { text($0.least) },
      greatest: counted.range.flatMap { text($0.greatest) }, trues: counted.trues,
      bytes: counted.bytes)
  }

  /// Counts of related objects in a few buckets: single numbers below 3, and from there on ranges up to the double.
  private static func relationship(_ counted: StoreStatistics.Relationship) -> Relationship {
    var buckets: [[Int]] = []
    for (members, owners) in counted.counts {
      var (low, high) = (members, members)
      if members > 2 {
        (low, high) = (3, 4)
        while high < members, high < Int.max / 4 { (low, high) = (high + 1, high * 2) }
      }
      if let last = buckets.indices.last, buckets[last][0] == low {
        buckets[last][2] += owners
      } else {
        buckets.append([low, high, owners])
      }
    }
    return Relationship(name: counted.name, counts: buckets)
  }

  /// A value on one line, abbreviated; bytes as their count.
  package static func text(_ value: ListedValue) -> String? {
    switch value {
    case .null: return nil
    case .bytes(let data): return "\(data.count) bytes"
    case .flag(let flag): return flag ? "yes" : "no"
    case .date(let seconds): return ValueWords.date(seconds)
    default:
      guard let cell = value.cell else { return nil }
      // Limit the bytes first: a single character may consist of any number of combining marks.
      let start = String(decoding: cell.utf8.prefix(600), as: UTF8.self)
      return start.count > 140 || start.utf8.count < cell.utf8.count
        ? start.prefix(140) + "…" : cell
    }
  }

  /// The first objects that a relationship refers to.
  static func links(_ names: [String], _ places: [String: Int]) -> Value {
    let links = names.prefix(linkCount).compactMap { name -> [Int64]? in
      guard let slash = name.range(of: "/p", options: .backwards),
        let key = Int64(name[slash.upperBound...]),
        let place = places[String(name[..<slash.lowerBound])]
      else { return nil }
      return [Int64(place), key]
    }
    return Value(links: links, more: names.count > links.count ? names.count - links.count : nil)
  }
}

/// Reads the rows to be shown: the first of each entity, and those they refer to.
private struct SampleReader {
  private let rows: StoreRows
  private let places: [String: Int]
  private let names: [Int: String]
  private var read: [String: [Int64: StoreRows.Sample]] = [:]
  private(set) var problems: [String] = []

  init(_ rows: StoreRows, places: [String: Int]) {
    self.rows = rows
    self.places = places
    names = Dictionary(places.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  mutating func readFirst(_ count: Int, of name: String) {
    guard let entity = rows.entity(name) else { return }
    let rows = rows
    keep(name) { try rows.samples(of: entity, first: count) }
  }

  /// Reads rows referenced by those already read.
  mutating func follow(_ limit: Int) {
    var wanted: [String: Set<Int64>] = [:]
    for name in read.keys.sorted() {
      for sample in samples(of: name) ?? [] {
        for link in sample.values.flatMap({ $0.links ?? [] }) where link.count == 2 {
          guard let target = names[Int(link[0])], read[target]?[link[1]] == nil,
            wanted[target, default: []].count < limit
          else { continue }
          wanted[target, default: []].insert(link[1])
        }
      }
    }
    for (name, keys) in wanted.sorted(by: { $0.key < $1.key }) {
      guard let entity = rows.entity(name) else { continue }
      let rows = rows
      keep(name) { try rows.samples(of: entity, keys: keys) }
    }
  }

  private mutating func keep(_ name: String, _ body: () throws -> [StoreRows.Sample]) {
    do {
      for sample in try body() { read[name, default: [:]][sample.key] = sample }
    } catch {
      problems.append("\(name): \(error)")
    }
  }

  func columns(of name: String) -> [String]? {
    guard read[name] != nil else { return nil }
    return rows.entity(name).map { rows.names(of: $0) }
  }

  func samples(of name: String) -> [ReportData.Store.Sample]? {
    guard let entity = rows.entity(name), let found = read[name] else { return nil }
    let relationships = entity.description.relationshipsByName
    let names = rows.names(of: entity)
    return found.values.sorted { $0.key < $1.key }.map { sample in
      ReportData.Store.Sample(
        key: sample.key,
        values: zip(names, sample.values).map { name, value in
          guard relationships[name] != nil else {
            return .init(text: ReportData.Store.text(value))
          }
          switch value {
          case .text(let object): return ReportData.Store.links([object], places)
          case .list(let members):
            return ReportData.Store.links(members.compactMap(\.cell), places)
          default: return .init()
          }
        })
    }
  }
}

extension ReportData.Store.History {
  /// The number of time intervals shown.
  private static let bucketCount = 60

  init(_ list: [StoreHistoryListing.Transaction]) {
    let times = list.compactMap(\.timestamp).filter { $0.isFinite && abs($0) < 1e12 }
    self.init(
      transactions: list.count, first: times.min().map(ValueWords.date),
      last: times.max().map(ValueWords.date), buckets: [], authors: [])
    var saves: [String: Int] = [:]
    for transaction in list { saves[transaction.author ?? "", default: 0] += 1 }
    authors = saves.sorted { (-$0.value, $0.key) < (-$1.value, $1.key) }.prefix(12)
      .map { .init(name: $0.key, text: "\($0.value)") }
    guard let first = times.min(), let last = times.max() else { return }
    let count = last > first ? Self.bucketCount : 1
    buckets = Array(repeating: [0, 0, 0], count: count)
    for transaction in list {
      guard let time = transaction.timestamp, time.isFinite, time >= first, time <= last else {
        continue
      }
      let share = last > first ? (time - first) / (last - first) : 0
      let place = min(count - 1, max(0, Int(share * Double(count))))
      for change in transaction.changes {
        switch change.kind {
        case "insert": buckets[place][0] += 1
        case "update": buckets[place][1] += 1
        case "delete": buckets[place][2] += 1
        default: break
        }
      }
    }
  }
}
