import Foundation
import Synchronization

/// Forwards requests to a server, and cuts the connection in the middle of some: before the server gets the request, or
/// after it has answered, so that the client doesn't know what became of it.
final class CuttingProxy: Sendable {
  /// What becomes of the next requests.
  enum Fate: Sendable {
    case forwarded, cutBefore, cutAfter
  }

  let url: URL
  private let target: Int
  private let listener: Int32
  private let chooser: Mutex<@Sendable () -> Fate>

  /// Starts to listen, on any free port.
  init?(to server: URL, _ chooser: @escaping @Sendable () -> Fate) {
    target = server.port ?? 0
    self.chooser = Mutex(chooser)
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) | listen(descriptor, 64) | getsockname(descriptor, $0, &length)
      }
    }
    guard result == 0,
      let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")
    else { return nil }
    self.url = url
    let target = target
    Thread.detachNewThread { [weak self] in
      while case let connection = accept(descriptor, nil, nil), connection >= 0 {
        Thread.detachNewThread { [weak self] in
          let client = RawConnection(descriptor: connection)
          while let fate = self?.fate, Self.forward(client, target, fate) {}
          client.end()
        }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private var fate: @Sendable () -> Fate { chooser.withLock { $0 } }

  /// Decides about all further requests.
  func choose(_ chooser: @escaping @Sendable () -> Fate) { self.chooser.withLock { $0 = chooser } }

  /// Forwards one request, and returns whether the connection goes on.
  private static func forward(
    _ client: RawConnection, _ target: Int, _ fate: @Sendable () -> Fate
  ) -> Bool {
    guard let request = message(from: client) else { return false }
    let fate = fate()
    guard fate != .cutBefore, let server = RawConnection(port: target) else { return false }
    defer { server.end() }
    server.send(request)
    guard let answer = message(from: server), fate != .cutAfter else { return false }
    client.send(answer)
    return true
  }

  /// Reads a head and as many bytes as it says follow.
  private static func message(from connection: RawConnection) -> [UInt8]? {
    var bytes: [UInt8] = []
    let separator = Data("\r\n\r\n".utf8)
    while true {
      let more = connection.receive()
      guard !more.isEmpty else { return nil }
      bytes += more
      guard let end = Data(bytes).range(of: separator)?.upperBound else { continue }
      let head = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
      let line = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
      let length = line.flatMap {
        Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces))
      }
      while bytes.count < end + (length ?? 0) {
        let more = connection.receive()
        guard !more.isEmpty else { return nil }
        bytes += more
      }
      return bytes
    }
  }
}
