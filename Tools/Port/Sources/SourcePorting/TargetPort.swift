import Foundation

/// The port of one target's sources during a build. Each becomes a file in another folder, such as
/// `Order.ported.swift` for `Order.swift`; with the same name, the compiler would confuse the two.
public struct TargetPort {
  /// The target's module.
  public var module: String
  /// The target's sources.
  public var sources: [URL]
  /// The sources of the package's other targets, which the target may refer to.
  public var known: [(module: String, source: URL)]
  /// The `contents` files of the package's data models.
  public var models: [URL]
  /// Whether the target has its own bundle.
  public var hasResources: Bool
  /// The folder for the ported sources.
  public var destination: URL
  /// The location of the replacement for the module `os`, or nil if none is needed.
  public var osStandIn: URL?

  /// Creates a port from a build's information about a target.
  public init(
    module: String, sources: [URL], known: [(module: String, source: URL)], models: [URL],
    hasResources: Bool, destination: URL, osStandIn: URL?
  ) {
    self.module = module
    self.sources = sources
    self.known = known
    self.models = models
    self.hasResources = hasResources
    self.destination = destination
    self.osStandIn = osStandIn
  }

  /// Ports all sources, and writes those whose port has changed.
  public func run() throws -> PortReport {
    let own = try sources.map { try file($0, module: module) }
    let others = try known.map { try file($0.source, module: $0.module) }
    let modules = Set(others.map(\.module)).union([module])
    let models = try models.map { try String(contentsOf: $0, encoding: .utf8) }
    let port = SourcePort(own + others, models: models) { file in
      PortOptions(modules: modules, hasResources: hasResources && file.module == module)
    }
    var report = PortReport()
    report.fileCount = own.count
    try FileManager.default.createDirectory(at: destination, withIntermediateDirectories: true)
    for (result, source) in zip(port.results, sources) {
      try write(result.text, to: destination.appending(path: Self.name(of: source)), &report)
    }
    if let osStandIn { try write(OSStandIn.source, to: osStandIn, &report) }
    let paths = Set(own.map(\.path))
    report.notes = port.notes.filter { paths.contains($0.path) }
    return report
  }

  private static func name(of source: URL) -> String {
    let name = source.deletingPathExtension().lastPathComponent
    return name == "main" ? "main.swift" : "\(name).ported.swift"
  }

  private func file(_ url: URL, module: String) throws -> SourceFile {
    guard let text = try? String(contentsOf: url, encoding: .utf8) else {
      throw PortError("\(url.path): this source can't be read: it must be UTF-8")
    }
    return SourceFile(path: url.path, fullPath: url.path, module: module, text: text)
  }

  private func write(_ text: String, to url: URL, _ report: inout PortReport) throws {
    if try CopiedFile(url).write(Data(text.utf8)) { report.writtenCount += 1 }
  }
}
