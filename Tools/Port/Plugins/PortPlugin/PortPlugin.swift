import Foundation
import PackagePlugin

/// Ports a target's sources in each build: those in its folder that the manifest excludes from compilation.
@main
struct PortPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    guard let target = target.sourceModule else { return [] }
    let others = context.package.targets.compactMap(\.sourceModule).filter {
      $0.name != target.name
    }
    let nested = others.map(\.directoryURL).filter {
      $0.path.hasPrefix(target.directoryURL.path + "/")
    }
    // A target's files also include those that aren't its sources, with the type "unknown".
    let compiled = Set(
      target.sourceFiles.filter { $0.type == .source }.map(\.url.standardizedFileURL.path))
    let sources = try Self.sources(in: target.directoryURL, without: nested)
      .filter { !compiled.contains($0.standardizedFileURL.path) }
    guard !sources.isEmpty else { return [] }

    var arguments = ["--module", target.moduleName, "-o", context.pluginWorkDirectoryURL.path]
    var outputs = sources.map {
      context.pluginWorkDirectoryURL.appending(path: Self.portedName(of: $0))
    }
    var inputs = sources
    for other in others {
      let known = try Self.sources(
        in: other.directoryURL,
        without: (others + [target]).map(\.directoryURL).filter {
          $0.path.hasPrefix(other.directoryURL.path + "/")
        })
      for source in known { arguments += ["--known", "\(other.moduleName)=\(source.path)"] }
      inputs += known
    }
    // Generated classes and properties aren't declared in any source.
    for model in try ([target] + others).map(\.directoryURL).flatMap(Self.models)
    where !inputs.contains(model) {
      arguments += ["--model", model.path]
      inputs.append(model)
    }
    if try sources.contains(where: Self.importsOS) {
      let standIn = context.pluginWorkDirectoryURL.appending(path: "MomKitOS.swift")
      arguments += ["--os", standIn.path]
      outputs.append(standIn)
    }
    if try Self.hasResources(target) { arguments.append("--resources") }
    return [
      .buildCommand(
        displayName: "Port \(sources.count) sources of \(target.name)",
        executable: try context.tool(named: "momtool-port").url,
        arguments: arguments + sources.map(\.path), inputFiles: inputs, outputFiles: outputs)
    ]
  }

  /// Returns the name of a port, as `TargetPort` does. It must differ from the original's, or the compiler would
  /// confuse the two.
  private static func portedName(of source: URL) -> String {
    let name = source.deletingPathExtension().lastPathComponent
    return name == "main" ? "main.swift" : "\(name).ported.swift"
  }

  private static func hasResources(_ target: any SourceModuleTarget) throws -> Bool {
    if target.sourceFiles.contains(where: { $0.type == .resource }) { return true }
    return try files(in: target.directoryURL, without: []).contains {
      $0.path.contains(".xcdatamodel") || $0.path.contains(".xcmappingmodel")
    }
  }

  private static func importsOS(_ source: URL) throws -> Bool {
    try String(contentsOf: source, encoding: .utf8).split(separator: "\n")
      .contains { $0.contains(/^\s*(@\w+\s+)?import\s+(os|OSLog)\b/) }
  }

  /// Returns the `contents` files of the data models in a folder.
  private static func models(in folder: URL) throws -> [URL] {
    try files(in: folder, without: []).filter {
      $0.lastPathComponent == "contents"
        && $0.deletingLastPathComponent().pathExtension == "xcdatamodel"
    }
  }

  private static func sources(in folder: URL, without nested: [URL]) throws -> [URL] {
    try files(in: folder, without: nested).filter { $0.pathExtension == "swift" }
  }

  /// Returns the files of a folder, except those of nested targets.
  private static func files(in folder: URL, without nested: [URL]) throws -> [URL] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
      .map { folder.appending(path: $0) }
      .filter { file in
        !file.path.contains("/.build/")
          && !nested.contains { file.path.hasPrefix($0.path + "/") }
      }
  }
}
