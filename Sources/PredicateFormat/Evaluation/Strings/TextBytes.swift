/// The UTF-8 bytes of a text that SQLite lends for the length of a call: making a string of them would cost more than
/// most comparisons.
package typealias TextBytes = UnsafeBufferPointer<UInt8>
