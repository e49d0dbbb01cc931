import Foundation
import ManagedObjects
import Testing

@testable import momtool

/// Which requests `momtool browse` answers.
@Suite struct BrowseGateTests {
  private let gate = BrowseGate(port: 4711, token: "0123456789abcdef0123456789abcdef")

  private func request(_ change: (inout BrowseGate.Request) -> Void = { _ in })
    -> BrowseGate.Request
  {
    var request = BrowseGate.Request(
      method: "GET", path: "/\(gate.token)/rows", length: 40, host: "127.0.0.1:4711",
      hasBody: false)
    change(&request)
    return request
  }

  private func refusal(_ change: (inout BrowseGate.Request) -> Void) -> BrowseGate.Refusal? {
    do {
      _ = try gate.admitted(request(change))
      return nil
    } catch {
      return error
    }
  }

  @Test func thePageItselfIsAnswered() throws {
    #expect(try gate.admitted(request()) == "rows")
    #expect(try gate.admitted(request { $0.path = "/\(gate.token)/" }).isEmpty)
    #expect(refusal { $0.host = "localhost:4711" } == nil)
    #expect(refusal { $0.origin = "http://127.0.0.1:4711" } == nil)
    #expect(refusal { $0.fetchSite = "same-origin" } == nil)
    #expect(refusal { $0.fetchSite = "none" } == nil)
    #expect(refusal { $0.method = "HEAD" } == nil)
  }

  @Test func othersAreRefused() {
    // A host name pointed at this address, a page from another origin, another port.
    for host in [
      "example.org:4711", "127.0.0.1", "127.0.0.1:4712", "127.0.0.1.example.org:4711", "",
    ] {
      #expect(refusal { $0.host = host } == .host, "\(host)")
    }
    #expect(refusal { $0.host = nil } == .host)
    for origin in ["http://example.org", "null", "https://127.0.0.1:4711", "http://127.0.0.1:80"] {
      #expect(refusal { $0.origin = origin } == .origin, "\(origin)")
    }
    #expect(refusal { $0.fetchSite = "cross-site" } == .origin)
    #expect(refusal { $0.fetchSite = "same-site" } == .origin)
    for path in [
      "/", "", "//", "/rows", "/\(gate.token)", "/\(gate.token)x/", "/\(gate.token.dropLast())/",
      "\(gate.token)/rows", "/../\(gate.token)/", "//\(gate.token)/",
      "/%30123456789abcdef0123456789abcde/",
    ] {
      #expect(refusal { $0.path = path } == .token, "\(path)")
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "CONNECT"] {
      #expect(refusal { $0.method = method } == .method)
    }
    #expect(refusal { $0.hasBody = true } == .body)
    #expect(refusal { $0.length = BrowseGate.longestTarget + 1 } == .tooLong)
  }

  @Test func tokensAreLongAndNeverTheSame() {
    let tokens = Set((0..<100).map { _ in BrowseGate.randomToken() })
    #expect(tokens.count == 100)
    #expect(tokens.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
    #expect(BrowseGate.isEqual("abc", "abc") && BrowseGate.isEqual("", ""))
    #expect(!BrowseGate.isEqual("abc", "abd") && !BrowseGate.isEqual("abc", "ab"))
  }

  @Test func picturesAreKnownByTheirFirstBytes() {
    #expect(PictureKind(Array("GIF89a...".utf8)) == .gif)
    #expect(PictureKind([0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
    #expect(PictureKind(Array("RIFF1234WEBPVP8 ".utf8)) == .webp)
    // Formats that can contain scripts aren't displayed.
    #expect(PictureKind(Array("<svg onload=alert(1)>".utf8)) == nil)
    #expect(PictureKind([UInt8]()) == nil)
    #expect(PictureKind(Array("BM".utf8)) == nil)
  }

  @Test func valuesAreShownAsWhatTheyHold() {
    let text = BrowseValue(
      whole: .bytes(
        Data(
          "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict><key>a</key><integer>9007199254740993</integer></dict></plist>"
            .utf8)))
    #expect(
      text.decoded == "{\n  \"a\": 9007199254740993\n}\n"
        || text.decoded == "{\n  \"a\": 9007199254740993\n}")
    #expect(
      BrowseValue(whole: .bytes(Data([0, 1, 65]))).hex == "0000  00 01 41"
        + String(repeating: " ", count: 41) + "..A")
    #expect(BrowseValue(brief: .null).text == nil)
    #expect(
      BrowseValue(linksOf: .list([.text("A/p1"), .text("B/p2"), .text("A/p3")]), ["A": 4], most: 2)
        .links == [[4, 1]])
  }
}
