import ArgumentParser
import Foundation
import SourcePorting

/// The command `momtool port`.
@main
struct PortTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "momtool port",
    abstract: "Copy a package or a folder of sources so that it builds with MomKit.",
    discussion: """
      The copy matches the original line by line, so compilers' messages refer to the original's
      lines. What needs the Objective-C runtime is rewritten: @NSManaged, @objc, #keyPath,
      #selector, overrides in extensions, casts of fetch requests. Sources keep their 'import
      CoreData'. The original is never modified. Porting again writes only what changed, and names
      the files of the copy whose changes by hand are lost.

      The report counts what was rewritten, and lists what needs attention, with file, line and
      advice.

      Exit status: 0 if nothing needs attention, 1 if something does, 2 on trouble.

      Example:
        momtool port ../Shop -o ../Shop-linux && swift test --package-path ../Shop-linux
      """)

  @Argument(help: "The folder of a package, or of sources.", completion: .directory)
  var folders: [String]

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: "The folder of the copy. (default: the original's name with '-ported', next to it)",
    completion: .directory)
  var output: String?

  @Option(name: .customLong("momkit"), help: "MomKit's location, a path or URL.")
  var momKit: String?

  @Option(help: "The output format: text or json.")
  var format = Format.text

  // What the plugin passes about a target, whose sources are given instead of a folder.

  @Option(help: .hidden) var module: String?
  @Option(help: .hidden) var known: [String] = []
  @Option(help: .hidden) var model: [String] = []
  @Option(help: .hidden) var os: String?
  @Flag(help: .hidden) var resources = false

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  func validate() throws {
    guard module != nil || folders.count == 1 else {
      throw ValidationError("only one folder can be ported at a time")
    }
    guard module == nil || output != nil else {
      throw ValidationError("specify the destination with --output")
    }
  }

  func run() throws {
    if let module, let output { return try portTarget(module, to: output) }
    let source = URL(fileURLWithPath: folders[0])
    let destination =
      output.map { URL(fileURLWithPath: $0) }
      ?? source.standardizedFileURL.deletingLastPathComponent()
      .appending(path: source.standardizedFileURL.lastPathComponent + "-ported")
    guard let momKit = momKit ?? Self.ownPackage else {
      throw ValidationError("specify MomKit's location with --momkit PATH or URL")
    }
    let report: PortReport
    do {
      report = try PackagePort(source: source, destination: destination, momKit: momKit).run()
      try FileHandle.standardOutput.write(
        contentsOf: format == .json ? try report.json() + Data("\n".utf8) : Data(report.text.utf8))
    } catch {
      let file = (error as? CocoaError)?.filePath.map { "\($0): " } ?? ""
      let message = (error as? PortError)?.description ?? file + error.localizedDescription
      try? FileHandle.standardError.write(contentsOf: Data("\(message)\n".utf8))
      throw ExitCode(2)
    }
    if report.needsAttention { throw ExitCode(1) }
  }

  /// Ports the sources of a build, and reports what needs attention in the format of compiler diagnostics.
  private func portTarget(_ module: String, to output: String) throws {
    let known = known.compactMap { entry -> (module: String, source: URL)? in
      guard let sign = entry.firstIndex(of: "=") else { return nil }
      return (
        String(entry[..<sign]), URL(fileURLWithPath: String(entry[entry.index(after: sign)...]))
      )
    }
    let port = TargetPort(
      module: module, sources: folders.map { URL(fileURLWithPath: $0) }, known: known,
      models: model.map { URL(fileURLWithPath: $0) }, hasResources: resources,
      destination: URL(fileURLWithPath: output), osStandIn: os.map { URL(fileURLWithPath: $0) })
    for note in try port.run().left {
      print("\(note.path):\(note.line): warning: \(note.advice ?? "")")
    }
  }

  /// The package that this tool was built from, if it still exists.
  private static var ownPackage: String? {
    // MomKit/Tools/Port/Sources/momtool-port/PortTool.swift
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<5 { url.deleteLastPathComponent() }
    return FileManager.default.fileExists(atPath: url.appending(path: "Package.swift").path)
      ? url.path : nil
  }
}
