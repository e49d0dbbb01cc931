import Foundation

/// The desktop's program for opening files and URLs.
struct BrowserOpener {
  private let program: URL

  /// - Throws: ``Diagnostic`` if there is none.
  init() throws {
    guard
      let program = SearchPath.program(named: "xdg-open") ?? SearchPath.program(named: "open")
    else {
      throw Diagnostic(
        "--open requires xdg-open, which isn't installed (apt-get install xdg-utils); everything else works "
          + "all the same")
    }
    self.program = program
  }

  /// Opens a file.
  func open(file path: String) throws { try open(URL(fileURLWithPath: path).path) }

  /// Opens a file's path or a URL.
  func open(_ place: String) throws {
    let process: Process
    do {
      process = try Process.run(program, arguments: [place])
    } catch {
      throw Diagnostic("can't run \(program.path): \(error)")
    }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Diagnostic(
        "\(program.lastPathComponent) failed with status \(process.terminationStatus); open it yourself: \(place)"
      )
    }
  }
}
