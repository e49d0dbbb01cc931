import Foundation

/// Another process that writes to SQLite files: only such a one has locks of its own.
public final class ForeignWriter {
  /// Whether there is a Python interpreter with SQLite.
  public static let isAvailable: Bool = {
    let python = process(["-c", "import sqlite3"])
    guard (try? python.run()) != nil else { return false }
    python.waitUntilExit()
    return python.terminationStatus == 0
  }()

  /// An error that the process has reported.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  private let process: Process
  private let input = Pipe()
  private let output = Pipe()

  public init() throws {
    process = Self.process(["-u", "-c", Self.script])
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Opens a file.
  public func open(_ url: URL) throws { try send("open \(url.path)") }

  /// Closes the file, which in WAL mode merges the log if nobody else has the file open.
  public func close() throws { try send("close") }

  /// Executes statements of SQL, which have no line breaks.
  public func execute(_ sql: String) throws { try send(sql) }

  /// Opens a file, executes statements and closes the file.
  public func write(_ sql: String, to url: URL) throws {
    try open(url)
    try execute(sql)
    try close()
  }

  /// Ends the process at once, as a crash does.
  public func kill() {
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private func send(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    var answer = Data()
    while answer.last != UInt8(ascii: "\n") {
      guard let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty else {
        throw Failure(description: "the process has ended")
      }
      answer += byte
    }
    let text = String(decoding: answer.dropLast(), as: UTF8.self)
    if text != "ok" { throw Failure(description: text) }
  }

  private static func process(_ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3"] + arguments
    return process
  }

  private static let script = """
    import sys, sqlite3
    c = None
    for line in sys.stdin:
        line = line.rstrip('\\n')
        try:
            if line.startswith('open '):
                c = sqlite3.connect(line[5:], isolation_level=None)
                c.execute('PRAGMA busy_timeout=10000')
            elif line == 'close':
                c.close()
                c = None
            else:
                for s in line.split(';'):
                    c.execute(s).fetchall()
            print('ok')
        except Exception as e:
            print(repr(e))
    """
}
