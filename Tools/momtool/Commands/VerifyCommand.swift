import ArgumentParser
import DataModels
import Foundation
import ManagedObjects
import ModelSource

/// `momtool verify`: compares models with the hashes recorded for them.
struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compares bundles and stores with the version hashes they record themselves.",
    discussion: """
      A bundle records the hashes of its versions' entities, and newer ones a checksum; a store \
      records the hashes of the model it was created with. Core Data relies on these records, so \
      verify finds models that were changed without being recompiled, and damaged files.

      A frozen SwiftData schema written by generate records the hashes and checksum of the stores \
      that were shipped, and a hash of its own code. Stores given together with schemas are compared \
      with them, and the matching schema is named.

      Each difference is one line. The exit status is 1 if there are any.

      EXAMPLES
        momtool verify Shop.momd
        momtool verify Shop.app Shop.sqlite --format json
        momtool verify Schemas/*Schema*.swift fixtures/*/default.store
      """)

  @Argument(
    help: ArgumentHelp(
      "Bundles, stores, folders that contain them, and frozen schemas.", valueName: "input"),
    completion: .file())
  var inputs: [String]

  @Option(help: "The output format: text or json.")
  var format = PlainFormat.text

  @OptionGroup var colors: ColorOptions

  func run() throws {
    var reader = InputReader()
    let pinned = inputs.filter { $0.hasSuffix(".swift") }.compactMap { path in
      reader.attempt(path) { (path: path, pin: try Self.pin(at: path)) }
    }
    let schemas = pinned.map(\.pin)
    var reports = pinned.map { Self.report(on: $0.pin, at: $0.path) }
    reports += inputs.flatMap { input -> [VerificationReport.Input] in
      if input.hasSuffix(".swift") { return [] }
      guard input != InputFile.standardInput else {
        return reader.attempt(input) {
          throw Diagnostic(
            "a model alone records no hashes: name the bundle or the store it belongs to",
            path: input)
        } ?? []
      }
      return Self.files(at: input, &reader).compactMap { file in
        reader.attempt(file.path) {
          try Self.report(on: file, isAlone: file.path == input, schemas: schemas)
        } ?? nil
      }
    }
    switch format {
    case .text:
      let paint = TerminalPaint.report(isOn: colors.isOn)
      try StandardOutput.writeReport(reports.map { $0.text(paint: paint) }.joined())
    case .json: try StandardOutput.writeReport(VerificationReport(inputs: reports).json())
    }
    try reader.finish()
    if reports.contains(where: { !$0.differences.isEmpty }) { throw ExitStatus.findings }
  }

  /// The file itself or, for a folder, the bundles and stores inside.
  private static func files(at path: String, _ reader: inout InputReader) -> [ModelFile] {
    guard StoreFolder.isFolder(path), (try? ModelFile(at: path))?.kind == .folder,
      let stores = try? StoreFolder.storesIfAny(in: path), !stores.isEmpty
    else { return reader.files(at: path) }
    let models = (try? ModelFile(at: path).modelFiles()) ?? []
    return models
      + stores.compactMap { store in reader.attempt(store) { try ModelFile(at: store) } }
  }

  /// The findings for one file; `nil` for a file in a folder that records nothing.
  private static func report(
    on file: ModelFile, isAlone: Bool, schemas: [SchemaPin]
  ) throws -> VerificationReport.Input? {
    switch file.kind {
    case .bundle:
      let bundle = try ModelBundle(at: file.path)
      guard !bundle.versionNames.isEmpty || bundle.versionInfo != nil else {
        throw Diagnostic(
          "the bundle is empty: it contains neither a version (.mom) nor VersionInfo.plist",
          path: file.path)
      }
      return .init(path: file.path, differences: bundle.verify())
    case .store:
      let store = try StoreFile(at: file.path)
      let (schema, differences) = Self.schema(of: store, among: schemas)
      return .init(path: file.path, differences: store.verify() + differences, schema: schema)
    default:
      guard isAlone else { return nil }
      if let kind = SQLiteImage.kind(of: URL(fileURLWithPath: file.path)) {
        throw Diagnostic(
          "\(kind); verify supports only SQLite stores, and identify finds the model it was created with",
          path: file.path)
      }
      throw Diagnostic(
        "a model alone records no hashes: give the bundle or the store it belongs to",
        path: file.path)
    }
  }

  // MARK: Frozen schemas

  private static func pin(at path: String) throws -> SchemaPin {
    let text = String(decoding: try InputFile.bytes(at: path), as: UTF8.self)
    do {
      if let pin = try SchemaPin(readingFrom: text) { return pin }
    } catch {
      throw Diagnostic("\(error)", path: path)
    }
    throw Diagnostic(
      "not a frozen schema: it doesn't begin with the comment that generate writes", path: path)
  }

  private static func report(on pin: SchemaPin, at path: String) -> VerificationReport.Input {
    var differences: [HashDifference] = []
    if !pin.isConsistent {
      differences.append(
        HashDifference(
          .checksum, recorded: pin.checksum,
          computed: VersionHashes.checksum(of: pin.entityHashes)))
    }
    if !pin.isIntact { differences.append(HashDifference(.frozenCode)) }
    return .init(path: path, differences: differences)
  }

  /// The frozen schema that a store matches, or the differences from the closest one.
  private static func schema(
    of store: StoreFile, among schemas: [SchemaPin]
  ) -> (String?, [HashDifference]) {
    let hashes = store.metadata.entityHashes
    if let match = schemas.first(where: { $0.entityHashes == hashes }) { return (match.name, []) }
    func equal(_ pin: SchemaPin) -> Int { pin.entityHashes.count { hashes[$0.key] == $0.value } }
    guard let nearest = schemas.max(by: { equal($0) < equal($1) }) else { return (nil, []) }
    return (
      nil,
      [HashDifference(.unknownSchema, computed: nearest.name)]
        + HashDifference.differences(
          recorded: hashes, computed: nearest.entityHashes, version: nearest.name)
    )
  }
}
