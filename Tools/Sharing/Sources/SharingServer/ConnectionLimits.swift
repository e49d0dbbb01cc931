import Foundation

/// Limits the number of connections, what each may send, and how long it may be silent: the HTTP library reads a
/// request's head for as long as the client keeps sending.
struct ConnectionLimits: Sendable {
  let port: UInt16

  /// Looks at this process's connections to the port four times a second, until the task is cancelled.
  func watch() async throws {
    while true {
      enforce()
      try await Task.sleep(for: .milliseconds(250))
    }
  }

  /// Shuts down what exceeds a limit. The sockets stay open for their owner, which reads the end of the stream.
  private func enforce() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    var count = 0
    for descriptor in names.compactMap({ Int32($0) }).sorted() {
      guard isConnection(descriptor), let use = Self.use(of: descriptor) else { continue }
      count += 1
      if count > Limits.connections || use.bytes > Limits.connectionBytes
        || use.silence > Limits.silence
      {
        shutdown(descriptor, Int32(SHUT_RDWR))
      }
    }
  }

  private func isConnection(_ descriptor: Int32) -> Bool {
    typealias Name = (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>)
      -> Int32
    func port(_ name: Name) -> UInt16? {
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let result = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &length) }
      }
      return result == 0 && Int32(address.sin_family) == AF_INET ? address.sin_port : nil
    }
    return port({ getsockname($0, $1, $2) }) == self.port.bigEndian
      && port({ getpeername($0, $1, $2) }) != nil
  }

  /// Returns the number of bytes received and the milliseconds since the last of them, from Linux's `tcp_info`, whose
  /// newer fields Glibc doesn't declare.
  private static func use(of descriptor: Int32) -> (bytes: UInt64, silence: UInt32)? {
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
