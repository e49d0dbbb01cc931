import ArgumentParser
import Foundation
@_spi(Engines) import MomKit
import MomKitPostgreSQL

/// `momtool-postgresql copy`: copies a store to or from PostgreSQL.
struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copies a store to or from PostgreSQL: see momtool store copy.")

  @Argument(help: ArgumentHelp("The store.", valueName: "store"))
  var source: String

  @Argument(help: ArgumentHelp("The place of the copy.", valueName: "copy"))
  var copy: String

  @Option(help: ArgumentHelp("The store's model, compiled.", valueName: "model"))
  var model: String?

  func run() throws {
    let outcome: SQLiteStoreCopy.Outcome
    if let url = Self.url(source) {
      outcome = try reporting(source) {
        try StoreSource.read(url) { source, model in try write(source, model) }
      }
    } else {
      let file = URL(fileURLWithPath: source)
      let model = try storedModel()
      outcome = try reporting(source) {
        let engine = try SQLiteStoreCopy.reading(file, model: model)
        defer { engine.close() }
        return try write(StoreReading(engine, ModelLayout.of(model)), model)
      }
    }
    report(outcome)
  }

  private static func url(_ place: String) -> URL? {
    guard place.hasPrefix("postgresql://") || place.hasPrefix("postgres://") else { return nil }
    return URL(string: place)
  }

  /// Names a place in messages, without a password.
  private static func name(_ place: String) -> String {
    url(place).map { "\($0.scheme ?? "")://\($0.host ?? "")\($0.path)" } ?? place
  }

  private func reporting<Result>(_ place: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error where type(of: error) == NSError.self {
      throw ToolError(error as NSError, Self.name(place))
    }
  }

  private func storedModel() throws -> NSManagedObjectModel {
    if let model {
      let file = URL(fileURLWithPath: model)
      guard let loaded = NSManagedObjectModel(contentsOf: file) else {
        throw ToolError("it isn't a compiled model", model)
      }
      return loaded
    }
    do {
      if let model = try StoreFile(at: source).cachedModel() { return model }
    } catch { throw ToolError(error.message, source) }
    throw ToolError("the store has no copy of its model; specify it with --model", source)
  }

  private func write(
    _ source: StoreReading, _ model: NSManagedObjectModel
  ) throws -> SQLiteStoreCopy.Outcome {
    let progress = CopyProgress(total: CopyProgress.isOn ? try source.count() : 0)
    defer { progress.clear() }
    return try reporting(copy) {
      if let url = Self.url(copy) {
        return try StoreImport.make(at: url, of: source, model: model, progress: progress.show)
      }
      guard !FileManager.default.fileExists(atPath: copy) else {
        throw ToolError("the file already exists", copy)
      }
      return try SQLiteStoreCopy.make(
        at: URL(fileURLWithPath: copy), of: source, model: model, progress: progress.show)
    }
  }

  private func report(_ outcome: SQLiteStoreCopy.Outcome) {
    for (attribute, count) in outcome.changedValues {
      ToolError.write(
        "\(Self.name(copy)): warning: \(count) values of \(attribute) are kept with less precision\n"
      )
    }
    let width = outcome.checksum.counts.map(\.entity.count).max() ?? 0
    for (entity, count) in outcome.checksum.counts {
      print(entity.padding(toLength: width, withPad: " ", startingAt: 0) + "  \(count)")
    }
    print("\(outcome.checksum.linkCount) links; counts and checksums are equal")
  }
}

/// A progress line on standard error, if that is a terminal.
final class CopyProgress {
  static let isOn = isatty(STDERR_FILENO) == 1
  private let total: Int
  private var shown = ContinuousClock.now

  init(total: Int) { self.total = total }

  func show(_ isChecking: Bool, _ done: Int) {
    guard Self.isOn, ContinuousClock.now - shown > .milliseconds(100) else { return }
    shown = .now
    ToolError.write(
      "\r\(isChecking ? "comparing" : "copying"): \(done) of \(total) objects\u{1B}[K")
  }

  func clear() { if Self.isOn { ToolError.write("\r\u{1B}[K") } }
}
