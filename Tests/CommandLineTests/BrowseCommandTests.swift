import Foundation
import TestSupport
import Testing

/// `momtool browse`, tested with requests to its port.
@Suite struct BrowseCommandTests {
  /// A server for a store, and its responses.
  private struct Served {
    let process: Process
    let port: UInt16
    let token: String

    /// Sends a complete request and returns the complete response.
    func ask(raw request: String) throws -> String {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = inet_addr("127.0.0.1")
      let connected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      try #require(connected == 0)
      var patience = timeval(tv_sec: 60, tv_usec: 0)
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
      var bytes = Array(request.utf8)[...]
      while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes {
          send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { break }
        bytes = bytes.dropFirst(count)
      }
      var answer: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        answer += buffer[..<count]
      }
      return String(decoding: answer, as: UTF8.self)
    }

    func ask(_ path: String, _ headers: String = "", host: String? = nil) throws -> String {
      try ask(
        raw:
          "GET \(path) HTTP/1.1\r\nHost: \(host ?? "127.0.0.1:\(port)")\r\n\(headers)Connection: close\r\n\r\n"
      )
    }

    /// Returns a response parsed as JSON.
    func json(_ path: String) throws -> [String: Any] {
      let answer = try ask("/\(token)/\(path)")
      let body = try #require(answer.range(of: "\r\n\r\n"))
      return try #require(
        JSONSerialization.jsonObject(with: Data(answer[body.upperBound...].utf8)) as? [String: Any],
        "\(answer)")
    }
  }

  private func serving(_ body: (Served) throws -> Void) throws {
    try Tool.withTemporaryFolder { folder in
      try ShopSource.write(into: folder)
      #expect(
        try Tool.run("store", "create", "Shop.xcdatamodel", "Shop.sqlite", in: folder).status == 0)
      let file = folder.appendingPathComponent("Shop.sqlite")
      let before = try Data(contentsOf: file)
      let process = Tool.process(Tool.url, ["browse", "Shop.sqlite"], in: folder)
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      defer {
        kill(process.processIdentifier, SIGTERM)
        let end = Date(timeIntervalSinceNow: 30)
        while process.isRunning, Date() < end { usleep(10_000) }
        #expect(!process.isRunning, "a signal doesn't end the server")
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
      }
      var line = ""
      while !line.hasSuffix("\n"), let byte = try output.fileHandleForReading.read(upToCount: 1),
        !byte.isEmpty
      {
        line += String(decoding: byte, as: UTF8.self)
      }
      let address = try #require(URL(string: line.trimmingCharacters(in: .whitespacesAndNewlines)))
      #expect(address.host == "127.0.0.1")
      try body(
        Served(
          process: process, port: UInt16(try #require(address.port)),
          token: address.pathComponents.last { $0 != "/" } ?? ""))
      #expect(process.isRunning)
      #expect(try Data(contentsOf: file) == before)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
          "Shop.sqlite", "Shop.xcdatamodel",
        ])
    }
  }

  @Test func aStoreIsServedToWhoHasTheAddress() throws {
    try serving { served in
      let page = try served.ask("/\(served.token)/")
      #expect(page.hasPrefix("HTTP/1.1 200"))
      #expect(page.contains("script-src 'nonce-"))
      #expect(page.contains(" data-live>"))
      for header in [
        "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer",
        "Cache-Control: no-store",
      ] {
        #expect(page.contains(header), "\(header)")
      }
      let rows = try served.json("rows?entity=Customer")
      #expect((rows["rows"] as? [Any])?.count == 0)
      #expect(rows["total"] as? Int == 0)
      #expect(rows["columns"] as? [String] != nil)
      let wrong =
        try served.json("check?entity=Customer&where=nane%20%3D%3D%201")["error"] as? [String: Any]
      #expect(wrong?["column"] as? Int == 1, "\(String(describing: wrong))")
      #expect((wrong?["message"] as? String)?.contains("nane") == true)
      #expect(
        try served.json("check?entity=Customer&where=name%20%3D%3D%20%22x%22")["error"] == nil)
      #expect((try served.json("object?entity=Customer&key=1"))["error"] != nil)
      #expect((try served.json("rows?entity=Nobody"))["error"] != nil)
      let saved = try served.ask("/\(served.token)/export?entity=Customer&format=csv")
      #expect(saved.contains("Content-Disposition: attachment; filename=\"Customer.csv\""))
      #expect(saved.contains("object,"))
    }
  }

  @Test func othersGetNothing() throws {
    try serving { served in
      let path = "/\(served.token)/"
      #expect(try served.ask("/").hasPrefix("HTTP/1.1 403"))
      #expect(try served.ask("/\(String(served.token.reversed()))/").hasPrefix("HTTP/1.1 403"))
      #expect(try served.ask(path, host: "example.org").hasPrefix("HTTP/1.1 403"))
      #expect(try served.ask(path, "Origin: http://example.org\r\n").hasPrefix("HTTP/1.1 403"))
      #expect(try served.ask(path, "Sec-Fetch-Site: cross-site\r\n").hasPrefix("HTTP/1.1 403"))
      #expect(try served.ask("\(path)../../etc/passwd").hasPrefix("HTTP/1.1 40"))
      #expect(try served.ask("\(path)rows?entity=../../etc/passwd").contains("error"))
      let posted = try served.ask(
        raw:
          "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(served.port)\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc"
      )
      #expect(posted.hasPrefix("HTTP/1.1 405"))
      // An invalid request ends the connection, not the server.
      _ = try served.ask(raw: "\u{0}\u{1}\u{2}\r\n\r\n")
      #expect(try served.ask(path).hasPrefix("HTTP/1.1 200"))
    }
  }
}
