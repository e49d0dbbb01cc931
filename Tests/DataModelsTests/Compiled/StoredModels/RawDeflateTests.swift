import Testing

@testable import DataModels

@Suite struct RawDeflateTests {
  @Test func compressionIsBounded() throws {
    let zeros = [UInt8](repeating: 0, count: 5_000_000)
    let bomb = try RawDeflate.deflate(zeros)
    #expect(bomb.count < 10_000)
    #expect(try RawDeflate.inflate(bomb, limit: zeros.count) == zeros)
    #expect(throws: RawDeflate.Failure.tooLarge) {
      try RawDeflate.inflate(bomb, limit: zeros.count - 1)
    }
    #expect(throws: RawDeflate.Failure.truncated) {
      try RawDeflate.inflate(Array(bomb.dropLast(5)), limit: .max)
    }
    #expect(throws: RawDeflate.Failure.truncated) { try RawDeflate.inflate([], limit: .max) }
    #expect(throws: RawDeflate.Failure.damaged) {
      try RawDeflate.inflate([0xFF, 0xFF, 0xFF], limit: .max)
    }
    #expect(try RawDeflate.inflate(RawDeflate.deflate([]), limit: 0) == [])
  }
}
