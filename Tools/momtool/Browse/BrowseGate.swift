/// Decides who is answered: the page that this very server gave, and a browser that was given its address.
///
/// Any program on the machine can reach the port, and so can pages of other origins through the browser. None of them
/// knows the token; a name that was pointed at this address is no name of ours; and what another origin asks for says
/// so itself.
struct BrowseGate: Sendable {
  /// What a request says, as far as it decides.
  struct Request: Sendable {
    var method: String
    /// The path as it came, with its first slash.
    var path: String
    /// The number of bytes of path and query.
    var length: Int
    var host: String?
    var origin: String?
    /// What browsers say of where a request comes from.
    var fetchSite: String?
    /// Whether more follows than the head.
    var hasBody: Bool
  }

  /// Why a request isn't answered.
  enum Refusal: Error, Equatable {
    case method, host, origin, token, tooLong, body
  }

  /// The longest path with its query, in bytes.
  static let longestTarget = 32 << 10

  /// What stands in the address, and nobody can guess: 128 random bits.
  let token: String
  private let hosts: [String]

  /// Guards a server on the loopback address.
  init(port: UInt16, token: String = BrowseGate.randomToken()) {
    self.token = token
    hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
  }

  /// The address that is printed.
  var address: String { "http://\(hosts[0])/\(token)/" }

  /// What is asked for: the part of the path behind the token.
  ///
  /// - Throws: ``Refusal``.
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

  /// Whether two texts are equal, in a time that doesn't tell how much of them is.
  static func isEqual(_ text: String, _ other: String) -> Bool {
    let (left, right) = (Array(text.utf8), Array(other.utf8))
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for place in left.indices { difference |= left[place] ^ right[place] }
    return difference == 0
  }

  /// Random bits of the system's, as 32 hexadecimal digits.
  static func randomToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
