import Foundation

/// The port of a package or of a folder of sources: a copy that can be built here, and is updated by porting again.
public struct PackagePort {
  /// The package or folder to port.
  public var source: URL
  /// The location of the copy.
  public var destination: URL
  /// MomKit's location, as a path or URL.
  public var momKit: String

  /// Creates a port. The original is never modified.
  public init(source: URL, destination: URL, momKit: String) {
    self.source = source.standardizedFileURL.resolvingSymlinksInPath()
    self.destination = destination.standardizedFileURL
    // In the copy's manifest, a relative path would refer to another folder.
    self.momKit =
      momKit.contains("://") ? momKit : URL(fileURLWithPath: momKit).standardizedFileURL.path
  }

  private static let leftOut: Set<String> = [
    ".build", ".git", ".swiftpm", ".DS_Store", PortRecord.fileName,
  ]

  /// Ports everything, and writes those files that differ from the existing copy.
  ///
  /// - Throws: ``PortError`` if there is nothing to port, the destination contains unrelated files, or MomKit isn't at
  ///   its location.
  public func run() throws -> PortReport {
    let files = FileManager.default
    try checkSource()
    try checkMomKit()
    let record = try self.record()
    let originals = try OriginalFiles(in: source, leavingOut: Self.leftOut)
    var paths = originals.paths
    let manifestPaths = paths.filter { $0.wholeMatch(of: /Package(@swift-[0-9.]+)?\.swift/) != nil }
    let manifest = manifestPaths.isEmpty ? nil : try PackageManifest(of: source)
    // Plugins see everything in a target's folder.
    paths.removeAll { Self.isOfModel($0) && (manifest?.excludes($0) ?? false) }
    var report = PortReport()

    var sources: [SourceFile] = []
    for path in paths where path.hasSuffix(".swift") && !manifestPaths.contains(path) {
      guard let target = manifest == nil ? "" : manifest?.target(of: path)?.name else { continue }
      let url = source.appending(path: path)
      guard let text = try? String(contentsOf: url, encoding: .utf8) else {
        report.notes.append(.unreadable(path, having: try Data(contentsOf: url)))
        continue
      }
      sources.append(SourceFile(path: path, fullPath: url.path, module: target, text: text))
    }
    guard !sources.isEmpty || !report.notes.isEmpty else {
      throw PortError("\(source.path): there are no Swift sources")
    }
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
    report.notes += port.notes

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
      combineTargets: combine.sorted(),
      needsPublishers: port.results.contains { $0.needsPublishers })
    for path in manifestPaths {
      let text = try String(contentsOf: source.appending(path: path), encoding: .utf8)
      guard !text.contains("\"PortPlugin\"") else {
        throw PortError("\(source.path): the package ports itself in each build; just build it")
      }
      texts[path] = rewriter.rewrite(text)
    }

    let allPaths = Set(paths).union(texts.keys).sorted()
    // Nothing is written if something can't be.
    for path in allPaths + (record?.files.keys.sorted() ?? []) + [PortRecord.fileName] {
      _ = try file(at: path)
    }
    var written = PortRecord(source: source.path, files: [:])
    for path in allPaths {
      let original = source.appending(path: path)
      let data = try texts[path].map { Data($0.utf8) } ?? Data(contentsOf: original)
      written.files[path] = PortRecord.digest(of: data)
      let present = try file(at: path).contents
      guard present != data else { continue }
      if let record, let present, record.isChanged(path, having: present) {
        report.overwritten.append(path)
      }
      let isProgram = texts[path] == nil && files.isExecutableFile(atPath: original.path)
      try write(data, to: path, isProgram: isProgram)
      report.writtenCount += 1
    }
    if let record {
      for path in Set(record.files.keys).subtracting(written.files.keys).sorted() {
        if let present = try file(at: path).contents, record.isChanged(path, having: present) {
          report.overwritten.append(path)
        }
        try remove(path)
      }
    }
    try write(written.data, to: PortRecord.fileName)
    report.fileCount = sources.count
    return report
  }

  /// Checks that there is a folder to port, which isn't a port itself.
  private func checkSource() throws {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: source.path, isDirectory: &isFolder) else {
      throw PortError("\(source.path): there is no such folder")
    }
    guard isFolder.boolValue else {
      throw PortError(
        "\(source.path): this isn't a folder: specify the folder of a package, or of sources")
    }
    if let record = PortRecord(in: source) {
      throw PortError(
        "\(source.path): this is a port of \(record.source): port that instead, or remove "
          + "\(PortRecord.fileName) if this is the original now")
    }
  }

  /// Checks that a package is where the copy will look for MomKit.
  private func checkMomKit() throws {
    guard !momKit.contains("://") else { return }
    guard FileManager.default.fileExists(atPath: momKit + "/Package.swift") else {
      throw PortError(
        "\(momKit): there is no package: specify MomKit's location with --momkit PATH or URL")
    }
  }

  /// Returns the record of an earlier run.
  private func record() throws -> PortRecord? {
    let files = FileManager.default
    let inside = { (folder: URL, parent: URL) in (folder.path + "/").hasPrefix(parent.path + "/") }
    guard !inside(destination, source), !inside(source, destination) else {
      throw PortError("\(destination.path): the copy can't be inside the original or contain it")
    }
    guard files.fileExists(atPath: destination.path) else { return nil }
    if let record = PortRecord(in: destination) {
      guard record.source == source.path else {
        throw PortError("\(destination.path): this is already a port of \(record.source)")
      }
      return record
    }
    guard try files.contentsOfDirectory(atPath: destination.path).isEmpty else {
      throw PortError("\(destination.path): the folder isn't empty and isn't a port")
    }
    return nil
  }

  /// Returns the path of a source's port. It must differ from the original's, or the compiler would complain about
  /// equal names. A program's main source and sources named in the manifest keep their names.
  private static func name(of path: String, in manifest: PackageManifest?) -> String {
    guard path.split(separator: "/").last != "main.swift", !(manifest?.names(path) ?? false) else {
      return path
    }
    return String(path.dropLast(".swift".count)) + ".ported.swift"
  }

  private static func isOfModel(_ path: String) -> Bool {
    path.contains(/\.(xcdatamodeld|xcdatamodel|xcmappingmodel)\//)
  }

  /// Returns the targets with data models to compile.
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

  /// Returns the texts of each target's data models, by path.
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

  /// Returns a file of the copy.
  private func file(at path: String) throws -> CopiedFile {
    try CopiedFile(destination.appending(path: path))
  }

  /// Writes a file unless its contents are unchanged.
  private func write(_ data: Data, to path: String, isProgram: Bool = false) throws {
    let file = try file(at: path)
    guard try file.write(data), isProgram else { return }
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.url.path)
  }

  /// Removes a file that the original no longer has, and any folders that become empty: the package manager reports
  /// an empty folder as a target without sources.
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
