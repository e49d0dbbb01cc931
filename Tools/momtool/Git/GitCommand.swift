import Foundation
import PropertyLists

/// A single invocation of git, with arguments and input, resulting in output and an exit code.
struct GitCommand {
  /// The result of an invocation.
  struct Output {
    let exitCode: Int32
    let data: Data
    let errors: String

    /// The output as text, without trailing newlines.
    var text: String {
      var text = String(decoding: data, as: UTF8.self)
      while text.hasSuffix("\n") { text.removeLast() }
      return text
    }

    /// The output of a command that lists files with `-z`: for each some words, a tab and the path.
    var listing: [(words: [Substring], path: String)] {
      data.split(separator: 0).compactMap { line in
        let halves = String(decoding: line, as: UTF8.self).split(separator: "\t", maxSplits: 1)
        guard halves.count == 2 else { return nil }
        return (halves[0].split(separator: " "), String(halves[1]))
      }
    }
  }

  let folder: URL
  var arguments: [String]
  var input = Data()

  /// Runs git and waits for it to exit.
  ///
  /// - Throws: `GitError` with `.gitNotFound` when git can't be started.
  func run() throws -> Output {
    guard folder.isFileURL, FileManager.default.fileExists(atPath: folder.path) else {
      throw GitError(.gitNotFound, "git can't be run: the folder is gone")
    }
    // Git isn't left to a launcher to find, whose status would be 127 if there is none, since that of `git merge-file`
    // is the number of conflicts, up to 127.
    guard let program = SearchPath.program(named: "git") else {
      throw GitError(.gitNotFound, "git is not installed, or not on the PATH")
    }
    try Self.checkDescriptors()
    // Input and errors are passed through files, so that only one pipe is open, and none can fill up while another is
    // being read.
    let temporary = try TemporaryFolder()
    defer { withExtendedLifetime(temporary) {} }
    let scratch = temporary.url
    let inputFile = scratch.appendingPathComponent("in")
    let errorFile = scratch.appendingPathComponent("err")
    try input.write(to: inputFile)
    try Data().write(to: errorFile)

    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    var environment = ProcessInfo.processInfo.environment
    environment["LC_ALL"] = "C"
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    // Paths are names, even if they contain wildcards.
    environment["GIT_LITERAL_PATHSPECS"] = "1"
    process.environment = environment
    let standardInput = try FileHandle(forReadingFrom: inputFile)
    let standardError = try FileHandle(forWritingTo: errorFile)
    let pipe = Pipe()
    process.standardInput = standardInput
    process.standardError = standardError
    process.standardOutput = pipe
    do {
      try process.run()
    } catch {
      throw GitError(.gitNotFound, "git can't be run in \(folder.path): \(error)")
    }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try? standardInput.close()
    try? standardError.close()
    let errors = (try? Data(contentsOf: errorFile)) ?? Data()
    return Output(
      exitCode: process.terminationStatus, data: data,
      errors: String(decoding: errors, as: UTF8.self)
        .trimmingCharacters(in: .whitespacesAndNewlines))
  }

  /// Throws if few file descriptors are left, since Foundation traps if it can't open those it needs to start a process.
  private static func checkDescriptors() throws {
    var held: [Int32] = []
    defer { for descriptor in held { close(descriptor) } }
    for _ in 0..<32 {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        throw GitError(.gitNotFound, "git can't be run: \(String(cString: strerror(errno)))")
      }
      held.append(descriptor)
    }
  }
}
