import BinaryPlist

/// What an archive's bytes say of the program that wrote it, beside what they mean.
extension KeyedArchive {
  /// The keys of the archive's own dictionary, in the file's order.
  package var ownKeys: [String] {
    guard let (keys, _) = list.dictionary(at: list.top) else { return [] }
    return keys.map { list.string(at: $0) ?? "" }
  }

  /// Whether the name of an object's class is one string, where the class is named and where its
  /// chain begins.
  package func sharesClassName(ofObject number: Int) -> Bool {
    guard let described = classReference(ofObject: number) else { return false }
    let index = Int(objects[described])
    guard let name = list.value(forKey: "$classname", ofDictionary: index),
      let chain = list.value(forKey: "$classes", ofDictionary: index),
      let first = list.elements(at: chain)?.first
    else { return false }
    return name == first
  }

  /// Whether two objects of the archive are the same number.
  package var repeatsNumbers: Bool {
    var seen = Set<ArchiveValue>()
    for index in objects {
      switch list.marker(at: Int(index)) {
      case .integer, .real:
        if !seen.insert(value(at: Int(index))).inserted { return true }
      default: continue
      }
    }
    return false
  }
}
