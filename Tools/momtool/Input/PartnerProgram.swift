import Foundation

/// A separate program that does what this one has no library for: next to this one, on the PATH, or in the checkout in
/// which this one was built.
struct PartnerProgram {
  let name: String
  /// The folder of its package in the checkout.
  let package: String

  /// The possible locations.
  private var candidates: [String] {
    guard let own = Bundle.main.executableURL?.resolvingSymlinksInPath() else { return [] }
    let beside = own.deletingLastPathComponent()
    var candidates = [beside.appendingPathComponent(name).path]
    candidates += SearchPath.folders.map { $0.appendingPathComponent(name).path }
    // .build/debug, or .build/x86_64-unknown-linux-gnu/debug, of the checkout or of its folder Tools.
    var folder = beside
    while folder.path != "/", folder.lastPathComponent != ".build" {
      folder.deleteLastPathComponent()
    }
    guard folder.path != "/" else { return candidates }
    let built = folder.deletingLastPathComponent()
    for checkout in [built, built.deletingLastPathComponent()] {
      for folder in ["\(package)/.build", "Tools/.build"] {
        candidates += ["release", "debug"].map {
          checkout.appendingPathComponent("\(folder)/\($0)/\(name)").path
        }
      }
    }
    return candidates
  }

  /// The location.
  ///
  /// - Throws: ``Diagnostic`` that says how the program is built, if there is none.
  func found() throws -> String {
    guard let program = candidates.first(where: FileManager.default.isExecutableFile) else {
      throw Diagnostic(
        "\(name) is not built; in MomKit's checkout: swift build --package-path \(package)",
        path: nil)
    }
    return program
  }

  /// Replaces this process by the program, which gets its terminal and its signals.
  func replaceThis(arguments: [String]) throws {
    let program = try found()
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    execv(program, words)
    throw Diagnostic("can't be run: \(String(cString: strerror(errno)))", path: program)
  }
}
