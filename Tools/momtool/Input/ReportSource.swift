import ArgumentParser
import DataModels
import Dispatch
import Foundation
import ManagedObjects
import ModelEvolution
import ModelListing
import ModelReports
import PropertyLists

/// The subject of a page: a model, versions of one, or a store.
struct ReportSource: Sendable {
  let inputs: [String]
  /// The page's title, or nil for the input's name.
  let title: String?
  /// The path of the model for a store that has no copy of it.
  let model: String?
  /// Whether to show each commit that changed the model as a version.
  let hasHistory: Bool

  /// The store, if the subject is one.
  var store: StoreInput? {
    guard inputs.count == 1, Self.isStore(inputs[0]) else { return nil }
    return StoreInput(store: inputs[0], model: model)
  }

  /// Creates the page.
  ///
  /// - Throws: any error in reading the input, after reporting it with the input's name.
  func page() throws -> ReportPage {
    guard let store else { return try modelPage() }
    guard !hasHistory else {
      throw ValidationError("--history applies to models; the input is a store.")
    }
    return try InputReader.reported(store.store) { try page(of: store) }
  }

  /// A value that changes whenever a file of the inputs does.
  var stamp: [String] {
    inputs.flatMap { input -> [String] in
      let path = (try? InputLocation(input)).map { $0.revision == nil ? $0.path : "" } ?? input
      // A store's latest rows may still be in the write-ahead log.
      return [path, FileBytes.resolvingLinks(path) + "-wal"].flatMap(Self.stamps)
    }
  }

  private static func stamps(of path: String) -> [String] {
    var paths = [path]
    if let walk = FileManager.default.enumerator(atPath: path) {
      while let inner = walk.nextObject() as? String, paths.count < 2_000 {
        paths.append(path + "/" + inner)
      }
    }
    return paths.map { path in
      let values = try? FileManager.default.attributesOfItem(atPath: path)
      let date = (values?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
      return "\(path) \(date) \(values?[.size] ?? 0) \(values?[.systemFileNumber] ?? 0)"
    }
  }

  // MARK: Models

  private func modelPage() throws -> ReportPage {
    guard model == nil else {
      throw ValidationError("--model applies to stores; the inputs are models.")
    }
    let history = try versions()
    guard let shown = history.currentVersion ?? history.versions.last else {
      throw Diagnostic("there is no model to report on", path: inputs[0])
    }
    var report = ReportData(title: title ?? Self.name(of: inputs[inputs.count - 1]))
    let (versions, parts) = concurrently(
      { history.versions.count > 1 ? ReportData.Versions(history) : nil },
      {
        let schema = ModelSchema(shown.model)
        return (
          model: ReportData.Model(schema), findings: ReportData.lint(shown.model),
          diagram: ReportPage.diagram(of: schema)
        )
      })
    // Releasing a hundred models takes as long as writing their page, which needn't wait for it.
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) { withExtendedLifetime(history) {} }
    report.versions = versions
    report.model = parts.model
    report.findings = parts.findings
    return ReportPage(report, diagram: parts.diagram)
  }

  private func versions() throws -> VersionedModel {
    if hasHistory {
      return try InputReader.reported(inputs[0]) {
        Self.numbered(try GitHistory(of: inputs[0]).versions)
      }
    }
    if inputs.count == 1 {
      return try HistoryInput.required(inputs[0], reading: .readable).history
    }
    return Self.numbered(
      try inputs.map { input in
        let model = try HistoryInput.required(input, reading: .selected).model()
        return (Self.shortName(of: input), model)
      })
  }

  /// Returns versions in the given order, the last one as the current one.
  private static func numbered(
    _ versions: [(name: String, model: NSManagedObjectModel)]
  ) -> VersionedModel {
    // Versions are sorted by name, so numbers preserve the given order.
    let width = "\(versions.count)".count
    let numbered = versions.enumerated().map { place, version in
      let number = "\(place + 1)"
      let zeros = String(repeating: "0", count: width - number.count)
      return (name: "\(zeros)\(number) · \(version.name)", model: version.model)
    }
    return VersionedModel(numbered, currentVersionName: numbered.last?.name)
  }

  // MARK: Stores

  private static func isStore(_ path: String) -> Bool {
    if (try? ModelFile(at: path))?.kind == .store { return true }
    return SQLiteImage.kind(of: URL(fileURLWithPath: path)) != nil
  }

  private func page(of input: StoreInput) throws -> ReportPage {
    let opened = try input.opened()
    let loaded = try opened.loadModel()
    let schema = ModelSchema(loaded)
    let places = Dictionary(
      schema.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    var report = ReportData(title: title ?? Self.name(of: input.store))
    report.model = .init(schema)
    report.store = try .init(at: opened.file, model: loaded, places: places)
    report.findings =
      ReportData.check(opened.file, model: loaded) + ReportData.lint(loaded)
    return withExtendedLifetime(opened) { ReportPage(report, schema: schema) }
  }

  // MARK: Names

  /// Returns the last component of an input's path, so that the page doesn't depend on the location.
  private static func name(of input: String) -> String {
    let path = (try? InputLocation(input))?.path ?? input
    return URL(fileURLWithPath: path).lastPathComponent
  }

  /// Returns a version's name: its revision or its file.
  private static func shortName(of input: String) -> String {
    guard let location = try? InputLocation(input) else { return input }
    return location.revision ?? location.version ?? name(of: input)
  }
}
