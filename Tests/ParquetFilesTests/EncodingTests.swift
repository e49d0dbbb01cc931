import Testing

@testable import ParquetFiles

/// The bytes of Parquet's encodings, by the examples of its specification and worked out by hand.
@Suite struct EncodingTests {
  @Test func fieldsOfThrift() {
    let bytes = ThriftWriter.structure { writer in
      writer.field(1, Int32(-1))
      writer.field(2, Int64(150))
      writer.field(3, true)
      writer.field(4, "é")
      writer.field(20, Int8(-2))
      writer.list(21, [Int32(0), 1])
      writer.field(22, case: 3)
    }
    #expect(
      bytes == [
        0x15, 0x01, 0x16, 0xAC, 0x02, 0x11, 0x18, 0x02, 0xC3, 0xA9, 0x03, 0x28, 0xFE, 0x19, 0x25,
        0x00,
        0x02, 0x1C, 0x3C, 0x00, 0x00, 0x00,
      ])
  }

  @Test func longListsOfThrift() {
    let bytes = ThriftWriter.structure { $0.list(1, [Int32](repeating: 1, count: 15)) }
    #expect(bytes == [0x19, 0xF5, 0x0F] + [UInt8](repeating: 2, count: 15) + [0])
  }

  @Test func numbersOfTheSpecificationArePacked() {
    var bytes: [UInt8] = []
    HybridEncoding.append([0, 1, 2, 3, 4, 5, 6, 7] as ArraySlice<UInt8>, width: 3, to: &bytes)
    #expect(bytes == [0x03, 0x88, 0xC6, 0xFA])
  }

  @Test func repeatedNumbersAreRuns() {
    var bytes: [UInt8] = []
    HybridEncoding.append(ArraySlice([UInt32](repeating: 300, count: 100)), width: 9, to: &bytes)
    #expect(bytes == [0xC8, 0x01, 0x2C, 0x01])
  }

  /// Random runs of random numbers, read by an independent reader.
  @Test func packedNumbersAreReadBack() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let width = Int.random(in: 1...20, using: &random)
      var numbers: [UInt32] = []
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        let number = UInt32.random(in: 0..<1 << UInt32(width), using: &random)
        numbers += [UInt32](repeating: number, count: Int.random(in: 1...20, using: &random))
      }
      var bytes: [UInt8] = []
      HybridEncoding.append(numbers[...], width: width, to: &bytes)
      #expect(Self.read(bytes, width: width, count: numbers.count) == numbers)
    }
  }

  private static func read(_ bytes: [UInt8], width: Int, count: Int) -> [UInt32] {
    var (place, result) = (0, [UInt32]())
    func number() -> Int {
      var (number, shift) = (0, 0)
      while true {
        let byte = Int(bytes[place])
        place += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80 { return number }
      }
    }
    while place < bytes.count {
      let header = number()
      if header & 1 == 0 {
        var value: UInt32 = 0
        for byte in 0..<(width + 7) / 8 { value |= UInt32(bytes[place + byte]) << UInt32(8 * byte) }
        place += (width + 7) / 8
        result += [UInt32](repeating: value, count: header >> 1)
      } else {
        for index in 0..<(header >> 1) * 8 {
          let bits = (index * width..<(index + 1) * width).map { bit in
            UInt32(bytes[place + bit / 8] >> UInt8(bit % 8) & 1)
          }
          result.append(bits.enumerated().reduce(0) { $0 | $1.element << UInt32($1.offset) })
        }
        place += (header >> 1) * width
      }
    }
    // The last group is filled up.
    #expect(result.count >= count && result.count < count + 8)
    return Array(result.prefix(count))
  }

  @Test func dictionariesKeepTheOrderOfFirstOccurrence() throws {
    let writer = ParquetColumnWriter(ParquetColumn("text", .text))
    for text in ["b", "a", "b", "", "a", "", "b", "a"] { try writer.append(text.utf8) }
    let dictionary = try #require(ValueDictionary(writer.values))
    #expect(dictionary.places == [0, 1, 0, 2, 1, 2, 0, 1])
    #expect(dictionary.bytes == [1, 0, 0, 0, 98, 1, 0, 0, 0, 97, 0, 0, 0, 0])
    #expect(dictionary.placeWidth == 2)
  }

  @Test func differentValuesHaveNoDictionary() throws {
    let writer = ParquetColumnWriter(ParquetColumn("text", .text))
    for number in 0..<100_000 { try writer.append("\(number)".utf8) }
    #expect(ValueDictionary(writer.values) == nil)
  }

  @Test func manyValuesThatRepeatHaveADictionary() throws {
    let writer = ParquetColumnWriter(ParquetColumn("text", .text))
    for number in 0..<100_000 { try writer.append("\(number % 30_000 / 3)".utf8) }
    let dictionary = try #require(ValueDictionary(writer.values))
    #expect(dictionary.count == 10_000)
    for number in stride(from: 0, to: 100_000, by: 999) {
      #expect(Int(dictionary.places[number]) == number % 30_000 / 3)
    }
  }
}
