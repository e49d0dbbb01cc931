import Dispatch
import Foundation
import ModelReports
import PropertyLists

/// Renders a drawing as an image by running an installed browser, so that text and colors look as they do in pages.
struct BrowserPicture {
  /// The browsers to look for. All share one engine, which can take screenshots without a window.
  private static let names = [
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge",
    "brave-browser",
  ]
  /// The maximum side length of an image, in pixels; browsers crop larger ones.
  private static let longestSide = 16_000.0
  /// The time limit for the browser, in seconds.
  private static let patience = 120

  private let program: URL

  /// - Throws: ``Diagnostic`` if no browser is installed.
  init() throws {
    let found = Self.names.lazy.compactMap { SearchPath.program(named: $0) }.first
    guard let found else {
      throw Diagnostic(
        "png requires a browser, and none is installed: apt-get install chromium (or Google Chrome, Edge or Brave);"
          + " --format svg doesn't")
    }
    program = found
  }

  /// Returns the drawing as PNG, with two pixels per unit, or fewer for a large drawing.
  ///
  /// - Throws: ``Diagnostic`` if the browser fails.
  func png(of drawing: ModelDiagram, title: String) throws -> [UInt8] {
    let (width, height) = drawing.size
    let scale = min(2, Self.longestSide / max(width, height, 1))
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let page = folder.url.appendingPathComponent("drawing.html")
    let picture = folder.url.appendingPathComponent("drawing.png")
    // Light, regardless of the system's setting: images end up on paper and in other people's pages.
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
    // Chromium refuses to run as root with its sandbox. The page it renders is our own.
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
      throw Diagnostic("\(program.path) produced no image within \(Self.patience) seconds")
    }
    guard let bytes = try? Data(contentsOf: picture), PictureKind(bytes) == .png else {
      throw Diagnostic(
        "\(program.path) produced no image (status \(process.terminationStatus)); --format svg needs no browser"
      )
    }
    return Array(bytes)
  }
}
