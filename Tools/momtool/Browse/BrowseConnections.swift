import Foundation

/// Keeps connections within bounds: how many there are, how much each may send, and for how long it may say nothing.
/// The library that serves them reads a request's head as long as one goes on.
struct BrowseConnections: Sendable {
  /// How many connections there may be: browsers open six.
  static let most = 48
  /// How many bytes a connection may send: some hundred requests of a page, whose browser opens another then.
  static let mostBytes = 256 << 10
  /// How long a connection may be silent, in milliseconds.
  static let longestSilence: UInt32 = 120_000

  let port: UInt16

  /// Looks after the connections to a port of this process, four times a second, until the task is cancelled.
  func watch() async throws {
    while true {
      bound()
      try await Task.sleep(for: .milliseconds(250))
    }
  }

  /// Ends what is too much. The sockets stay open for their owner, who reads their end.
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

  /// The process's open descriptors, in the order in which they were opened.
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

  /// How much came, and for how long nothing has: of Linux's `tcp_info`, whose newer fields Glibc doesn't declare.
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
