/// How pages are compressed. Snappy and Zstandard would each need a library that nothing else here needs; what reads
/// the files can write them again with either.
package enum ParquetCompression: String, CaseIterable, Sendable {
  case none, gzip

  /// The format's number.
  var number: Int32 { self == .none ? 0 : 2 }
}
