/// An object's keys as they were put, and as they stand in a dictionary.
struct DictionaryShape {
  var keys: [UInt32]
  /// For each place of the dictionary, which of the keys stands there.
  var order: [UInt32]
  var keyNodes: [UInt32]
}
