import Foundation

/// Limits the number of connections, the amount of data that each may send, and the time that each may be idle. The
/// HTTP library itself reads a request's header for as long as the client keeps sending.
struct BrowseConnections: Sendable {
  /// The maximum number of connections; a browser opens six.
  static let most = 48
  /// The maximum number of bytes received per connection: enough for some hundred requests, after which browsers open
  /// a new one.
  static let mostBytes = 256 << 10
  /// The maximum idle time of a connection, in milliseconds.
  static let longestSilence: UInt32 = 120_000

  let port: UInt16

  /// Monitors the connections to a port of this process, four times a second, until the task is cancelled.
  func watch() async throws {
    while true {
      bound()
      try await Task.sleep(for: .milliseconds(250))
    }
  }

  /// Shuts down connections that exceed the limits. Their sockets remain open for the owner, which reads the end of
  /// the stream.
  private func bound() {
    var count = 0
    for descriptor in Self.descriptors() {
      guard Self.isConnection(descriptor, to: port), let told = Self.told(by: descriptor) else {
        continue
      }
      count += 1
      if count > Self.most || told.bytes > UInt64(Self.mostBytes)
        || told.silence > Self.longestSilence
      {
        shutdown(descriptor, Int32(SHUT_RDWR))
      }
    }
  }

  /// Returns the process's open file descriptors, in the order in which they were opened.
  private static func descriptors() -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }.sorted()
  }

  private static func isConnection(_ descriptor: Int32, to port: UInt16) -> Bool {
    func named(_ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32)
      -> sockaddr_in?
    {
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
      }
      return result == 0 && Int32(address.sin_family) == AF_INET ? address : nil
    }
    return named { getsockname(descriptor, $0, $1) }?.sin_port == port.bigEndian
      && named { getpeername(descriptor, $0, $1) } != nil
  }

  /// Returns the number of bytes received and the time since the last of them, from Linux's `tcp_info`, whose newer
  /// fields Glibc doesn't declare.
  private static func told(by descriptor: Int32) -> (bytes: UInt64, silence: UInt32)? {
    var info = [UInt8](repeating: 0, count: 256)
    var length = socklen_t(info.count)
    guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0, length >= 136
    else { return nil }
    return info.withUnsafeBytes { bytes in
      (
        bytes.loadUnaligned(fromByteOffset: 128, as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: 52, as: UInt32.self)
      )
    }
  }
}
