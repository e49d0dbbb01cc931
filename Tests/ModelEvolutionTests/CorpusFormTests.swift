import DataModels
import Foundation
import ManagedObjects
import ModelEvolution
import ModelSource
import PropertyLists
import TestSupport
import Testing

/// Real models compared with their other forms, and real mapping models with inferred ones.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence))
struct CorpusFormTests {
  /// A row of `pairs.json`.
  struct Pair: Decodable, Sendable, CustomTestStringConvertible {
    let kind: String
    let mom: String
    let source: String
    let confidence: String
    var testDescription: String { source }
  }

  /// A row of `stores.json`.
  struct Store: Decodable, Sendable {
    let store: String
    let model_by_hash: [String]
  }

  private static func rows<Row: Decodable>(_ name: String) -> [Row] {
    guard let data = try? Data(contentsOf: Corpus.root.appendingPathComponent(name)) else {
      return []
    }
    return (try? JSONDecoder().decode([Row].self, from: data)) ?? []
  }

  private static func compiled(_ path: String) throws -> NSManagedObjectModel {
    try ModelFile(at: Corpus.root.appendingPathComponent(path).path).models(.current)
      .first?.model ?? NSManagedObjectModel()
  }

  @Test func aSourceAndItsCompiledModelDoNotDiffer() throws {
    let pairs: [Pair] = Self.rows("pairs.json").filter { $0.confidence == "exact" }
    #expect(pairs.count > 90)
    var misses: [String] = []
    for pair in pairs {
      let source = try SourceModel(contentsOf: Corpus.root.appendingPathComponent(pair.source))
      let difference = ModelDifference(from: source.model, to: try Self.compiled(pair.mom))
      // A store's cache contains no templates, no unused class names and no older marks.
      let isCache = pair.kind != "mom"
      let changes = difference.changes.filter {
        !(isCache && ($0.elementKind == .fetchRequest || $0.fact == "className"))
      }
      if !changes.isEmpty {
        misses.append(
          "\(pair.source): " + changes.prefix(3).map(\.sentence).joined(separator: "; "))
      }
      #expect(!difference.changesHash, "\(pair.source)")
    }
    // Some are from other revisions of the source, or from compilers that dropped things.
    #expect(misses.count <= pairs.count / 20, "\(misses.joined(separator: "\n"))")
  }

  @Test func everyCompiledModelIsItselfWhenArchivedAnew() throws {
    for file in Corpus.files(ofKind: "mom") + Corpus.files(ofKind: "modelcache-mom") {
      let model = try Self.compiled(file.path)
      let again = try ModelArchive.decode(try ModelArchive.encode(model))
      let changes = ModelDifference(from: model, to: again).changes.map(\.sentence)
      #expect(changes == [], "\(file.path)")
    }
  }

  @Test func aStoresCopyIsTheModelItWasMadeWith() throws {
    let stores: [Store] = Self.rows("stores.json")
    var count = 0
    for row in stores {
      guard let path = row.model_by_hash.first,
        let cached = try? StoreFile(at: Corpus.root.appendingPathComponent(row.store).path)
          .cachedModel()
      else { continue }
      count += 1
      let difference = ModelDifference(from: try Self.compiled(path), to: cached)
      #expect(!difference.changesHash, "\(row.store)")
      let changes = difference.changes.filter {
        $0.elementKind != .fetchRequest && $0.fact != "className"
      }
      #expect(changes.map(\.sentence) == [], "\(row.store)")
    }
    #expect(count > 0)
  }

  @Test func storesAreIdentified() throws {
    let stores: [Store] = Self.rows("stores.json").filter { !$0.model_by_hash.isEmpty }
    #expect(!stores.isEmpty)
    for row in stores {
      let file = try StoreFile(at: Corpus.root.appendingPathComponent(row.store).path)
      let candidates = try row.model_by_hash.map { (name: $0, model: try Self.compiled($0)) }
      let identification = StoreIdentification(
        entityHashes: file.metadata.entityHashes, cachedModel: nil,
        candidates: [(name: "empty", model: NSManagedObjectModel())] + candidates)
      #expect(identification.exact == row.model_by_hash)
    }
  }

  /// The hashes in a mapping model's archive, by entity, for the source and the destination.
  private func hashes(
    inMapping path: String
  ) throws -> [(source: (String, Data)?, destination: (String, Data)?)] {
    let archive = try KeyedArchive(FileBytes.read(path))
    func text(_ value: ArchiveValue?) -> String? {
      guard case .reference(let number)? = value,
        case .value(.string(let text)) = archive.object(at: number)
      else { return nil }
      return text
    }
    func data(_ value: ArchiveValue?) -> Data? {
      guard case .reference(let number)? = value else { return nil }
      switch archive.object(at: number) {
      case .value(.data(let bytes)): return Data(bytes)
      case .instance(_, let fields):
        guard case .data(let bytes)? = fields.first(where: { $0.key == "NS.data" })?.value else {
          return nil
        }
        return Data(bytes)
      default: return nil
      }
    }
    typealias Row = (source: (String, Data)?, destination: (String, Data)?)
    return (0..<archive.count).compactMap { number -> Row? in
      guard case .instance(let kind, let fields) = archive.object(at: number),
        kind.name == "NSEntityMapping"
      else { return nil }
      let values = Dictionary(fields.map { ($0.key, $0.value) }) { first, _ in first }
      func pair(_ side: String) -> (String, Data)? {
        guard let name = text(values["NS\(side)EntityName"]),
          let hash = data(values["NS\(side)EntityVersionHash"])
        else { return nil }
        return (name, hash)
      }
      return (pair("Source"), pair("Destination"))
    }
  }

  @Test func inferredMappingsHaveTheHashesOfRealOnes() throws {
    var compared = 0
    for file in Corpus.files(ofKind: "cdm") {
      let mappings = try hashes(inMapping: file.url.path)
      #expect(!mappings.isEmpty)
      // The models next to it: those versions whose hashes are in the mapping.
      let models = try Corpus.files(ofKind: "mom").filter {
        $0.path.hasPrefix(file.repositoryFolder)
      }
      .map { try Self.compiled($0.path) }
      func model(_ wanted: [String: Data]) -> NSManagedObjectModel? {
        models.first { model in
          let hashes = model.entityVersionHashesByName
          return wanted.allSatisfy { hashes[$0.key] == $0.value }
        }
      }
      let sources = Dictionary(mappings.compactMap(\.source)) { first, _ in first }
      let destinations = Dictionary(mappings.compactMap(\.destination)) { first, _ in first }
      guard let old = model(sources), let new = model(destinations) else { continue }
      compared += 1
      // Hand-written, because inference can't do this or should do more.
      guard
        let inferred = try? NSMappingModel.inferredMappingModel(
          forSourceModel: old, destinationModel: new)
      else { continue }
      for mapping in inferred.entityMappings ?? [] {
        if let name = mapping.sourceEntityName, let hash = sources[name] {
          #expect(mapping.sourceEntityVersionHash == hash)
        }
        if let name = mapping.destinationEntityName, let hash = destinations[name] {
          #expect(mapping.destinationEntityVersionHash == hash)
        }
      }
    }
    #expect(compared > 0)
  }
}

extension Corpus.File {
  /// The first component of the path: the repository that the file came from.
  fileprivate var repositoryFolder: String {
    String(path.prefix { $0 != "/" }) + "/"
  }
}
