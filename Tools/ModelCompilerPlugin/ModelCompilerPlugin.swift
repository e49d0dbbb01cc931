import Foundation
import PackagePlugin

/// Compiles the data models of a target: each `.xcdatamodeld` becomes a `.momd` in the target's resources, each
/// `.xcmappingmodel` a `.cdm`, and the classes to be generated for entities become sources.
@main
struct ModelCompilerPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    guard let target = target.sourceModule else { return [] }
    let momc = try context.tool(named: "momc").url
    let all = try models(of: target, in: context.package)
    return try all.flatMap { model in
      let name = model.deletingPathExtension().lastPathComponent
      // The package manager treats the bundle itself as handled only if it is among the inputs.
      let inputs = try [model] + files(in: model)
      if model.pathExtension == "xcmappingmodel" {
        let compiled = context.pluginWorkDirectoryURL.appending(path: "\(name).cdm")
        // A mapping model contains the hashes of its source and destination models.
        let models = try all.filter { $0.pathExtension != "xcmappingmodel" }.flatMap(files)
        return [
          Command.buildCommand(
            displayName: "Compile mapping model \(name)", executable: momc,
            arguments: [model.path, compiled.path], inputFiles: inputs + models,
            outputFiles: [compiled])
        ]
      }
      let kind = model.pathExtension == "xcdatamodeld" ? "momd" : "mom"
      let compiled = context.pluginWorkDirectoryURL.appending(path: "\(name).\(kind)")
      let classes = context.pluginWorkDirectoryURL.appending(path: "\(name)+CoreDataModel.swift")
      return [
        Command.buildCommand(
          displayName: "Compile data model \(name)", executable: momc,
          arguments: ["--module", target.moduleName, model.path, compiled.path],
          inputFiles: inputs, outputFiles: [compiled]),
        Command.buildCommand(
          displayName: "Generate classes of data model \(name)", executable: momc,
          arguments: [
            "--action", "generate", "--single-file", classes.path, model.path,
            context.pluginWorkDirectoryURL.path,
          ],
          inputFiles: inputs, outputFiles: [classes]),
      ]
    }
  }

  /// Returns the models of a target, wherever they are in its folder: not those of targets in it, nor what the manifest
  /// excludes.
  private func models(of target: any SourceModuleTarget, in package: Package) throws -> [URL] {
    let own = path(of: target.directoryURL)
    let others = package.targets.map { path(of: $0.directoryURL) }
      .filter { $0 != own && $0.hasPrefix(own + "/") }
    let found = try models(in: target.directoryURL, without: Set(others))
    // Files that the package manager knows as the target's; it may know none of its models.
    let listed = target.sourceFiles.map { path(of: $0.url) }
    let included = found.filter { model in
      let path = path(of: model)
      return listed.contains { $0 == path || $0.hasPrefix(path + "/") }
    }
    return included.isEmpty ? found : included
  }

  private func path(of url: URL) -> String {
    url.standardizedFileURL.resolvingSymlinksInPath().path
  }

  private func models(in folder: URL, without others: Set<String>) throws -> [URL] {
    var models: [URL] = []
    var pending = [folder]
    while let next = pending.popLast() {
      for url in try FileManager.default.contentsOfDirectory(
        at: next, includingPropertiesForKeys: [.isDirectoryKey], options: .skipsHiddenFiles)
      where !others.contains(path(of: url)) {
        if ["xcdatamodeld", "xcdatamodel", "xcmappingmodel"].contains(url.pathExtension) {
          models.append(url)
        } else if try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true {
          pending.append(url)
        }
      }
    }
    return models.sorted { $0.path < $1.path }
  }

  /// Returns all files of a model, so that it is recompiled when any of them changes.
  private func files(in model: URL) throws -> [URL] {
    try FileManager.default.subpathsOfDirectory(atPath: model.path).sorted()
      .map { model.appending(path: $0) }
      .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
  }
}
