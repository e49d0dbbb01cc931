import Foundation

/// The programs in `Known`: each failed once, when the library had the bug or the deliberate fault that its file is
/// named after, and random programs rarely come by what it does.
enum KnownProgram {
  /// All of them, by name. Those that need what a server's stores don't have are changed for these.
  static let all: [Program] = files.compactMap { file in
    guard let data = try? Data(contentsOf: file) else { return nil }
    do {
      var program = try JSONDecoder().decode(Program.self, from: data)
      if ServerStores.current != nil {
        program.model = program.model.onServer
        program.setup.moveToServer()
      }
      return program
    } catch {
      fatalError("\(file.path) isn't a program: \(error)")
    }
  }

  private static var files: [URL] {
    let folder = Bundle.module.bundleURL.appendingPathComponent("Known")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    precondition(!names.isEmpty, "the known programs aren't beside the simulator: \(folder.path)")
    return names.filter { $0.hasSuffix(".json") }.sorted().map(folder.appendingPathComponent)
  }
}
