import MomKit

/// Another process with a stack of its own on the same files, which does the steps of some contexts. It does
/// one when it is asked to and waits for the next, so that the order of things is the program's.
final class OtherProcess {
  private let process = Process()
  private let requests = Pipe()
  private let replies = Pipe()
  private let file: URL
  private var received = Data()

  init(_ program: Program, in folder: URL) throws {
    // A process that ended is noticed when it doesn't answer.
    signal(SIGPIPE, SIG_IGN)
    file = folder.appendingPathExtension("program")
    try JSONEncoder().encode(program).write(to: file)
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["serve", "--file", file.path, "--folder", folder.path]
    process.standardInput = requests
    process.standardOutput = replies
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    try? requests.fileHandleForWriting.close()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: file)
  }

  /// Has a step done.
  func perform(_ request: Request) throws -> Reply {
    try requests.fileHandleForWriting.write(contentsOf: Self.line(request))
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        let line = received[..<end]
        received = Data(received[(end + 1)...])
        return try JSONDecoder().decode(Reply.self, from: line)
      }
      let data = replies.fileHandleForReading.availableData
      guard !data.isEmpty else { throw Impossible("the other process ended") }
      received += data
    }
  }

  static func line(_ value: some Encodable) throws -> Data {
    try JSONEncoder().encode(value) + Data("\n".utf8)
  }

  /// A step, what objects are called in the files, and which are to be looked at.
  struct Request: Codable {
    /// Nil to have contexts forget what nobody holds.
    var operation: Operation?
    var identities: [ObjectName: URL]
    var looked: [ObjectName] = []
    /// The objects that contexts know by the specification.
    var known: [Int: [ObjectName]] = [:]

    /// What the step is expected to come to, as far as it matters to who does it.
    var expectation: Expectation {
      .shows(
        Dictionary(uniqueKeysWithValues: looked.map { ($0, ObjectView(entity: "", flags: "")) }))
    }
  }

  /// What the step came to, and what objects are called now.
  struct Reply: Codable {
    var outcome: Outcome
    var identities: [ObjectName: URL]
  }
}

extension Stack {
  /// What the objects that are in the files are called there.
  var lastingIdentities: [ObjectName: URL] {
    identities.compactMapValues { $0.isTemporaryID ? nil : $0.uriRepresentation() }
  }

  /// Learns what objects of another process are called.
  func learn(_ known: [ObjectName: URL]) {
    guard let coordinator = coordinators.first else { return }
    for (name, url) in known where identities[name] == nil {
      guard let identity = coordinator.managedObjectID(forURIRepresentation: url) else { continue }
      identities[name] = identity
      names[url] = name
    }
  }
}
