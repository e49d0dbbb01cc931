import PropertyLists

extension ArchiveFoundationValue {
  /// Whether the value's archive may be one that isn't decoded.
  ///
  /// Equal leaves are stored once, so that a value may be many times larger than its archive, and decoding it looks like
  /// an attack. Values below these sizes are decoded whatever they contain; only larger ones have to be tried.
  var mayExceedLimits: Bool {
    var size = Size()
    add(to: &size)
    return size.values > ArchiveLimits.default.objectCount || size.bytes > Self.harmlessByteCount
  }

  /// The number of bytes that an archive of any size may expand to.
  private static var harmlessByteCount: Int { ArchiveLimits.default.expansion(ofFile: 0) }

  /// What decoding a value produces.
  private struct Size {
    var values = 0
    var bytes = 0
  }

  private func add(to size: inout Size) {
    size.values += 1
    switch self {
    case .string(let text): size.bytes += text.utf8.count
    case .data(let bytes): size.bytes += bytes.count
    case .url(let text, let base): size.bytes += text.utf8.count + (base?.utf8.count ?? 0)
    case .array(let members), .orderedSet(let members), .set(let members):
      for member in members { member.add(to: &size) }
    case .dictionary(let entries):
      for entry in entries {
        size.values += 1
        size.bytes += entry.key.utf8.count
        entry.value.add(to: &size)
      }
    case .table(let rows):
      for row in rows {
        row.key.add(to: &size)
        row.value.add(to: &size)
      }
    case .mutable(let value): value.add(to: &size)
    case .null, .boolean, .integer, .unsigned, .double, .decimal, .date, .uuid: size.bytes += 16
    }
  }
}
