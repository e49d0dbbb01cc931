import Testing

@testable import DataModels

/// The examples of FIPS 180 and of NIST's validation suite, and every length around a block boundary, compared with
/// another implementation.
struct SHA2Tests {
  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  @Test(arguments: [
    (
      "",
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    ),
    (
      "abc",
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    ),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
    ),
  ])
  func sha256(message: String, hash: String) {
    #expect(Self.hex(SHA256.hash(Array(message.utf8)).bytes) == hash)
  }

  @Test(arguments: [
    (
      "",
      "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
        + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
    ),
    (
      "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335"
        + "96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445"
    ),
    (
      "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
      "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
        + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"
    ),
  ])
  func sha512(message: String, hash: String) {
    #expect(Self.hex(SHA512.hash(Array(message.utf8)).bytes) == hash)
  }

  /// Messages of 0 to 399 bytes; compares the hash of all their hashes.
  @Test func everyLength() {
    var (short, long) = (SHA256(), SHA512())
    for count in 0..<400 {
      let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + count) }
      short.update(SHA256.hash(message).bytes)
      // In parts of 37 bytes.
      var hasher = SHA512()
      for start in stride(from: 0, to: count, by: 37) {
        hasher.update(message[start..<min(start + 37, count)])
      }
      long.update(hasher.finalize().bytes)
    }
    #expect(
      Self.hex(short.finalize().bytes)
        == "986170629f38c704cea9d282396ae2b468ba43a2f0c65ea9e4cf15b0eb82bf8e")
    #expect(
      Self.hex(long.finalize().bytes)
        == "8165ec30b61f5f58b609cd1eee477f5e992f9a95b04b9d7fdb42b2d8c5f41e31"
        + "00c47aeae65c6ce2a2a60d3299bc5a929a325b0a738845aafe84b8f292e5f08b")
  }

  @Test func aMillionLetters() {
    let message = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
    #expect(
      Self.hex(SHA256.hash(message).bytes)
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }
}
