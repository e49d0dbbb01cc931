import Dispatch
import Foundation
import ModelReports
import PropertyLists

/// A drawing as a picture, made by a browser that is installed: text is laid out, and colours are mixed, as people see
/// them in pages.
struct BrowserPicture {
  /// The browsers that are looked for: all of one engine, which takes pictures without a window.
  private static let names = [
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge",
    "brave-browser",
  ]
  /// The longest side of a picture, in pixels: browsers cut off what is longer.
  private static let longestSide = 16_000.0
  /// How long a browser may take, in seconds.
  private static let patience = 120

  private let program: URL

  /// - Throws: ``Diagnostic`` when no browser is installed.
  init() throws {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    let folders = path.split(separator: ":").map { URL(fileURLWithPath: String($0)) }
    let programs = Self.names.flatMap { name in folders.map { $0.appendingPathComponent(name) } }
    let found = programs.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    guard let found else {
      throw Diagnostic(
        "png is made by a browser, and none is installed: apt-get install chromium (or Google Chrome, Edge or Brave);"
          + " --format svg needs none")
    }
    program = found
  }

  /// The drawing as PNG, two pixels for each of its units, or fewer where it is large.
  ///
  /// - Throws: ``Diagnostic`` when the browser makes none.
  func png(of drawing: ModelDiagram, title: String) throws -> [UInt8] {
    let (width, height) = drawing.size
    let scale = min(2, Self.longestSide / max(width, height, 1))
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let page = folder.url.appendingPathComponent("drawing.html")
    let picture = folder.url.appendingPathComponent("drawing.png")
    // Light, whatever the system is: a picture is for papers and other people's pages.
    try Data(
      """
      <!DOCTYPE html><html data-theme="light"><meta charset="utf-8"><style>body{margin:0}svg{display:block}</style>
      \(drawing.svg(title: title))
      """.utf8
    ).write(to: page)
    let process = Process()
    process.executableURL = program
    let profile = folder.url.appendingPathComponent("profile").path
    let (columns, lines) = (Int(width.rounded(.up)), Int(height.rounded(.up)))
    var arguments = [
      "--headless=new", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
      "--disable-extensions", "--disable-background-networking",
    ]
    arguments.append("--user-data-dir=\(profile)")
    arguments.append("--force-device-scale-factor=\(scale)")
    arguments.append("--window-size=\(columns),\(lines)")
    arguments.append("--screenshot=\(picture.path)")
    // Chromium refuses to run as root with its sandbox; what it draws is our own page.
    if geteuid() == 0 { arguments.append("--no-sandbox") }
    process.arguments = arguments + [page.absoluteString]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    do {
      try process.run()
    } catch {
      throw Diagnostic("can't run \(program.path): \(error)")
    }
    if ended.wait(timeout: .now() + .seconds(Self.patience)) == .timedOut {
      process.terminate()
      throw Diagnostic("\(program.path) made no picture within \(Self.patience) seconds")
    }
    guard let bytes = try? Data(contentsOf: picture), PictureKind(bytes) == .png else {
      throw Diagnostic(
        "\(program.path) made no picture (status \(process.terminationStatus)); --format svg needs no browser"
      )
    }
    return Array(bytes)
  }
}
