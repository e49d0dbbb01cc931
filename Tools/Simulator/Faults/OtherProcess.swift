import MomKit

/// Another process that has its own stack on the same files and performs the steps of some contexts. It performs one
/// step per request, so that the steps keep the program's order.
final class OtherProcess {
  private let process = Process()
  private let requests = Pipe()
  private let replies = Pipe()
  private let file: URL
  private var received = Data()

  init(_ program: Program, in folder: URL) throws {
    // Without the signal, a process that ended is noticed because it doesn't reply.
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

  /// Sends a request and waits for the reply.
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

  /// A step, the URIs of the objects, and the objects to look at.
  struct Request: Codable {
    /// Nil to have the contexts release the objects that aren't retained.
    var operation: Operation?
    var identities: [ObjectName: URL]
    var looked: [ObjectName] = []
    /// The objects that the contexts know according to the reference.
    var known: [Int: [ObjectName]] = [:]

    /// The part of the expectation that performing the step depends on.
    var expectation: Expectation {
      .shows(
        Dictionary(uniqueKeysWithValues: looked.map { ($0, ObjectView(entity: "", flags: "")) }))
    }
  }

  /// The step's outcome, and the URIs of the objects after it.
  struct Reply: Codable {
    var outcome: Outcome
    var identities: [ObjectName: URL]
  }
}

extension Stack {
  /// The URIs of the objects that have a permanent ID.
  var lastingIdentities: [ObjectName: URL] {
    identities.compactMapValues { $0.isTemporaryID ? nil : $0.uriRepresentation() }
  }

  /// Takes over the object URIs of the other process.
  func learn(_ known: [ObjectName: URL]) {
    guard let coordinator = coordinators.first else { return }
    for (name, url) in known where identities[name] == nil {
      guard let identity = coordinator.managedObjectID(forURIRepresentation: url) else { continue }
      identities[name] = identity
      names[url] = name
    }
  }
}
