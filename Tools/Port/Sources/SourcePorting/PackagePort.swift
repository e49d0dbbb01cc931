import Foundation

/// The port of a package, or of a folder of sources: a copy that is built here, and is kept up to date by
/// porting again.
public struct PackagePort {
  /// What is ported.
  public var source: URL
  /// Where the copy goes.
  public var destination: URL
  /// Where MomKit is: a path or a URL.
  public var momKit: String

  /// Takes the folders; the original is only read.
  public init(source: URL, destination: URL, momKit: String) {
    self.source = source.standardizedFileURL.resolvingSymlinksInPath()
    self.destination = destination.standardizedFileURL
    self.momKit = momKit
  }

  /// What is remembered in the copy of how it was made.
  private struct Record: Codable {
    var source: String
    var files: [String]
  }

  private static let recordName = ".momtool-port.json"
  private static let leftOut: Set<String> = [".build", ".git", ".swiftpm", ".DS_Store", recordName]

  /// Ports everything again, and writes what differs from the copy there is.
  ///
  /// - Throws: ``PortError`` when there is nothing to port, or another folder's things are in the way.
  public func run() throws -> PortReport {
    let files = FileManager.default
    let record = try self.record()
    let originals = try OriginalFiles(in: source, leavingOut: Self.leftOut)
    var paths = originals.paths
    let manifestPaths = paths.filter { $0.wholeMatch(of: /Package(@swift-[0-9.]+)?\.swift/) != nil }
    let manifest = manifestPaths.isEmpty ? nil : try PackageManifest(of: source)
    // Plugins see whatever lies in a target's folder.
    paths.removeAll { Self.isOfModel($0) && (manifest?.excludes($0) ?? false) }
    var report = PortReport()

    var sources: [SourceFile] = []
    for path in paths where path.hasSuffix(".swift") && !manifestPaths.contains(path) {
      guard let target = manifest == nil ? "" : manifest?.target(of: path)?.name,
        let text = try? String(contentsOf: source.appending(path: path), encoding: .utf8)
      else { continue }
      sources.append(
        SourceFile(
          path: path, fullPath: source.appending(path: path).path, module: target, text: text))
    }
    guard !sources.isEmpty else { throw PortError("\(source.path): there are no Swift sources") }
    let modelTargets = self.modelTargets(paths, manifest)
    let withResources = Set((manifest?.targets ?? []).filter(\.hasResources).map(\.name))
      .union(modelTargets)
    let modules = Set((manifest?.targets ?? []).map(\.name))
    let models = self.models(paths, manifest)
    let generated = models.mapValues { models in
      models.values.flatMap(GeneratedClass.classes)
    }
    let port = SourcePort(sources, models: models.values.flatMap(\.values)) {
      PortOptions(
        modules: modules, hasResources: withResources.contains($0.module),
        generatedClasses: generated[$0.module] ?? [])
    }
    report.notes = port.notes

    let names = Dictionary(
      uniqueKeysWithValues: port.results.map { ($0.path, Self.name(of: $0.path, in: manifest)) })
    paths = paths.map { names[$0] ?? $0 }
    var texts = Dictionary(
      uniqueKeysWithValues: port.results.map { (names[$0.path] ?? $0.path, $0.text) })
    for (result, file) in zip(port.results, sources) where result.needsOS {
      let folder = manifest?.target(of: file.path)?.folder ?? "."
      texts[folder == "." ? OSStandIn.fileName : "\(folder)/\(OSStandIn.fileName)"] =
        OSStandIn.source
    }
    for (target, models) in models {
      guard let written = port.writtenClasses[target], !written.isEmpty else { continue }
      texts.merge(models.mapValues { GeneratedClass.model($0, withoutClasses: written) }) { $1 }
    }
    let combine = Set(zip(port.results, sources).filter(\.0.needsCombine).map(\.1.module))
    let rewriter = ManifestRewriter(
      source: source, momKit: momKit, modelTargets: modelTargets.sorted(),
      combineTargets: combine.sorted())
    for path in manifestPaths {
      let text = try String(contentsOf: source.appending(path: path), encoding: .utf8)
      guard !text.contains("\"PortPlugin\"") else {
        throw PortError("\(source.path): the package ports itself in each build: build it as it is")
      }
      texts[path] = rewriter.rewrite(text)
    }

    let all = Set(paths).union(texts.keys).sorted()
    for path in all {
      let original = source.appending(path: path)
      let data = try texts[path].map { Data($0.utf8) } ?? Data(contentsOf: original)
      let isProgram = texts[path] == nil && files.isExecutableFile(atPath: original.path)
      if try write(data, to: path, isProgram: isProgram) { report.writtenCount += 1 }
    }
    for path in Set(record?.files ?? []).subtracting(all) { try remove(path) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    _ = try write(encoder.encode(Record(source: source.path, files: all)), to: Self.recordName)
    report.fileCount = sources.count
    return report
  }

  /// What an earlier run has left in the copy.
  private func record() throws -> Record? {
    let files = FileManager.default
    let inside = { (folder: URL, parent: URL) in (folder.path + "/").hasPrefix(parent.path + "/") }
    guard !inside(destination, source), !inside(source, destination) else {
      throw PortError("\(destination.path): the copy can't be within the original, nor around it")
    }
    guard files.fileExists(atPath: destination.path) else { return nil }
    if let data = try? Data(contentsOf: destination.appending(path: Self.recordName)),
      let record = try? JSONDecoder().decode(Record.self, from: data)
    {
      guard record.source == source.path else {
        throw PortError("\(destination.path): this is a port of \(record.source)")
      }
      return record
    }
    guard try files.contentsOfDirectory(atPath: destination.path).isEmpty else {
      throw PortError("\(destination.path): the folder isn't empty, and no port of anything")
    }
    return nil
  }

  /// Where the port of a source goes: beside a file of the original's own name the compiler would take the two for one,
  /// and say so of each. A program's main source needs its name, and so does one that a manifest names.
  private static func name(of path: String, in manifest: PackageManifest?) -> String {
    guard path.split(separator: "/").last != "main.swift", !(manifest?.names(path) ?? false) else {
      return path
    }
    return String(path.dropLast(".swift".count)) + ".ported.swift"
  }

  private static func isOfModel(_ path: String) -> Bool {
    path.contains(/\.(xcdatamodeld|xcdatamodel|xcmappingmodel)\//)
  }

  /// The targets that have data models to be compiled.
  private func modelTargets(_ paths: [String], _ manifest: PackageManifest?) -> Set<String> {
    var targets: Set<String> = []
    for path in paths {
      guard
        let part = path.firstMatch(of: /^(.*\.(xcdatamodeld|xcdatamodel|xcmappingmodel))\//),
        let target = manifest?.target(of: path)
      else { continue }
      let inside = String(part.1).dropFirst(target.folder == "." ? 0 : target.folder.count + 1)
      if !target.excluded.contains(where: { inside == $0 || inside.hasPrefix($0 + "/") }) {
        targets.insert(target.name)
      }
    }
    return targets
  }

  /// The texts of each target's data models, by their paths.
  private func models(
    _ paths: [String], _ manifest: PackageManifest?
  ) -> [String: [String: String]] {
    var models: [String: [String: String]] = [:]
    for path in paths where path.hasSuffix(".xcdatamodel/contents") {
      guard let target = manifest?.target(of: path) else { continue }
      let text = try? String(contentsOf: source.appending(path: path), encoding: .utf8)
      models[target.name, default: [:]][path] = text
    }
    return models
  }

  /// Writes a file unless it is there already, so that only what changed is built again.
  private func write(_ data: Data, to path: String, isProgram: Bool = false) throws -> Bool {
    let url = destination.appending(path: path)
    if let present = try? Data(contentsOf: url), present == data { return false }
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url, options: .atomic)
    if isProgram {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
    }
    return true
  }

  /// Removes what the original has no more, and the folders that are empty then: the package manager takes an
  /// empty folder for a target without sources.
  private func remove(_ path: String) throws {
    let files = FileManager.default
    let url = destination.appending(path: path)
    guard files.fileExists(atPath: url.path) else { return }
    try files.removeItem(at: url)
    var folder = url.deletingLastPathComponent()
    while folder.path.hasPrefix(destination.path + "/"),
      try files.contentsOfDirectory(atPath: folder.path).isEmpty
    {
      try files.removeItem(at: folder)
      folder.deleteLastPathComponent()
    }
  }
}
