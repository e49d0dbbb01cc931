/// A run of object numbers in a binary property list, read where it lies.
public struct BinaryReferences: RandomAccessCollection, Sendable {
  let bytes: [UInt8]
  let start: Int
  let width: Int
  /// How many references there are.
  public let count: Int

  /// The position of the first reference.
  public var startIndex: Int { 0 }
  /// The position after the last reference.
  public var endIndex: Int { count }

  /// The number of the object referred to.
  public subscript(position: Int) -> Int {
    precondition(position >= 0 && position < count, "no reference at \(position)")
    let at = start + position * width
    switch width {
    case 1: return Int(bytes[at])
    case 2: return Int(bytes[at]) << 8 | Int(bytes[at + 1])
    default:
      var value = 0
      for byte in bytes[at..<at + width] { value = value << 8 | Int(byte) }
      return value
    }
  }
}
