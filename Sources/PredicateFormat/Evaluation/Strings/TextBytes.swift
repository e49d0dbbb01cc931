/// The UTF-8 bytes of a string that SQLite provides for the duration of a call: creating a `String` would cost more
/// than most comparisons.
package typealias TextBytes = UnsafeBufferPointer<UInt8>
