import Foundation

/// Graphviz, called as a program.
enum Graphviz {
  /// Draws a graph as SVG.
  ///
  /// - Parameter graph: the graph in DOT.
  /// - Throws: ``Diagnostic`` when `dot` is not installed or fails.
  static func svg(_ graph: String) throws -> String {
    guard let program = path(of: "dot") else {
      throw Diagnostic(
        "svg needs Graphviz: install it (apt-get install graphviz), or use --format dot")
    }
    let process = Process()
    process.executableURL = program
    process.arguments = ["-Tsvg"]
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    do {
      try process.run()
    } catch {
      throw Diagnostic("can't run \(program.path): \(error)")
    }
    // dot reads the whole graph before it writes, so neither waits for the other. When it ends
    // before that, its status says more than the pipe.
    try? input.fileHandleForWriting.write(contentsOf: Data(graph.utf8))
    try? input.fileHandleForWriting.close()
    let drawing = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Diagnostic("\(program.path) failed with status \(process.terminationStatus)")
    }
    return String(decoding: drawing, as: UTF8.self)
  }

  private static func path(of program: String) -> URL? {
    let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    return folders.split(separator: ":")
      .map { URL(fileURLWithPath: String($0)).appendingPathComponent(program) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }
}
