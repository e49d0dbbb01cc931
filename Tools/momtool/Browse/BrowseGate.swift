/// Decides which requests to answer: those of the page that this server sent, and of a browser that was given its
/// address.
///
/// Any program on the machine can reach the port, and so can pages from other origins through the browser. None of
/// them knows the token. A host name that someone pointed at this address isn't accepted, and browsers mark requests
/// from other origins.
struct BrowseGate: Sendable {
  /// The parts of a request that the decision depends on.
  struct Request: Sendable {
    var method: String
    /// The path as received, including the leading slash.
    var path: String
    /// The length of path and query in bytes.
    var length: Int
    var host: String?
    var origin: String?
    /// The `Sec-Fetch-Site` header, with which browsers state where a request comes from.
    var fetchSite: String?
    /// Whether the request has a body.
    var hasBody: Bool
  }

  /// The reason for rejecting a request.
  enum Refusal: Error, Equatable {
    case method, host, origin, token, tooLong, body
  }

  /// The maximum length of path and query, in bytes.
  static let longestTarget = 32 << 10

  /// The secret in the address: 128 random bits.
  let token: String
  private let hosts: [String]

  /// Creates the gate of a server on the loopback address.
  init(port: UInt16, token: String = BrowseGate.randomToken()) {
    self.token = token
    hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
  }

  /// The address to open in a browser.
  var address: String { "http://\(hosts[0])/\(token)/" }

  /// Returns the part of the path that follows the token.
  ///
  /// - Throws: ``Refusal`` if the request must be rejected.
  func admitted(_ request: Request) throws(Refusal) -> String {
    guard request.length <= Self.longestTarget else { throw .tooLong }
    guard request.method == "GET" || request.method == "HEAD" else { throw .method }
    guard !request.hasBody else { throw .body }
    guard let host = request.host?.lowercased(), hosts.contains(host) else { throw .host }
    if let origin = request.origin?.lowercased() {
      guard hosts.contains(where: { origin == "http://" + $0 }) else { throw .origin }
    }
    if let site = request.fetchSite?.lowercased() {
      guard site == "same-origin" || site == "none" else { throw .origin }
    }
    let parts = request.path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].isEmpty else { throw .token }
    let inner = parts[1].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard inner.count == 2, Self.isEqual(String(inner[0]), token) else { throw .token }
    return String(inner[1])
  }

  /// Compares two strings in time that doesn't depend on where they differ.
  static func isEqual(_ text: String, _ other: String) -> Bool {
    let (left, right) = (Array(text.utf8), Array(other.utf8))
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for place in left.indices { difference |= left[place] ^ right[place] }
    return difference == 0
  }

  /// Returns 128 bits from the system's random number generator, as 32 hexadecimal digits.
  static func randomToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
