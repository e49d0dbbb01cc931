import DataModels
import Foundation
import ManagedObjects
import PropertyLists

/// The contents of a property list or a keyed archive as plain values: collections, strings, numbers and dates as such,
/// other objects as records of their fields with their class under `@class`.
struct PlainArchive {
  private let archive: KeyedArchive
  /// The objects being listed, outermost first.
  private var open: Set<Int> = []
  private var budget: Budget

  /// How much is still listed. Shared objects and texts are listed at each occurrence: what is limited is how much more
  /// that is than what the file has.
  private struct Budget {
    private var values: Int
    private var bytes: Int
    /// Whether something was left out.
    private(set) var isSpent = false

    init(_ list: BinaryPropertyList) {
      values = max(1_000_000, list.count &+ list.referenceCount)
      // Files have equal texts once.
      bytes = max(64 << 20, list.bytes.count &* 8)
    }

    /// Whether another value is listed. Once something was left out, nothing is read any more.
    mutating func allowsValue() -> Bool {
      guard values > 0, !isSpent else {
        isSpent = true
        return false
      }
      values -= 1
      return true
    }

    /// Throws if something was left out: a part of the values would pass for all of them.
    func check() throws(ArchiveError) {
      guard isSpent else { return }
      throw ArchiveError(
        .limitExceeded,
        "it names the same values too many times over to list each occurrence; "
          + "'momtool archive' lists each once without '--format plain'")
    }

    /// Whether a text or data is listed.
    mutating func allows(bytes size: Int) -> Bool {
      guard bytes >= size, !isSpent else {
        isSpent = true
        return false
      }
      bytes -= size
      return true
    }
  }

  /// The deepest nesting of objects.
  private static let deepest = 128

  /// Converts any binary or XML property list; for a keyed archive, the result is the value of its objects.
  ///
  /// - Throws: `PropertyListError` or `ArchiveError`.
  static func value(of bytes: [UInt8]) throws -> ListedValue {
    let list = try BinaryPropertyList(anyForm: bytes)
    guard list.marker(at: list.top) == .dictionary,
      list.value(forKey: "$objects", ofDictionary: list.top) != nil
    else {
      var budget = Budget(list)
      let value = Self.value(list, list.top, depth: 0, within: &budget)
      try budget.check()
      return value
    }
    var plain = PlainArchive(archive: try KeyedArchive(list.bytes))
    let top = plain.archive.top
    let value =
      if top.count == 1, let root = top.first, root.key == "root" {
        plain.value(root.value)
      } else {
        ListedValue.record(top.map { (name: $0.key, value: plain.value($0.value)) })
      }
    try plain.budget.check()
    return value
  }

  private init(archive: KeyedArchive) {
    self.archive = archive
    budget = Budget(archive.list)
  }

  // MARK: Property lists

  private static func value(
    _ list: BinaryPropertyList, _ index: Int, depth: Int, within budget: inout Budget
  ) -> ListedValue {
    guard depth < deepest, budget.allowsValue() else { return .text("…") }
    func inner(_ index: Int) -> ListedValue {
      value(list, index, depth: depth + 1, within: &budget)
    }
    switch list.value(at: index) {
    case .null: return .null
    case .boolean(let flag): return .flag(flag)
    case .integer(let number, _): return integer(number)
    case .float(let number): return .real(Double("\(number)") ?? Double(number))
    case .double(let number): return .real(number)
    case .date(let seconds): return .date(seconds)
    case .data(let bytes):
      return budget.allows(bytes: bytes.count) ? .bytes(Data(bytes)) : .text("…")
    case .string(let text): return .text(budget.allows(bytes: text.utf8.count) ? text : "…")
    case .uid(let number):
      return .record([(name: "@ref", value: .integer(Int64(clamping: number)))])
    case .array(let members), .set(let members): return .list(members.map(inner))
    case .dictionary(let keys, let values):
      return .record(
        zip(keys, values).map { key, position in
          let name = list.string(at: key) ?? ""
          return (name: budget.allows(bytes: name.utf8.count) ? name : "…", value: inner(position))
        })
    }
  }

  private static func integer(_ number: Int128) -> ListedValue {
    Int64(exactly: number).map { .integer($0) } ?? .text("\(number)")
  }

  // MARK: Archives

  private mutating func value(_ value: ArchiveValue) -> ListedValue {
    switch value {
    case .null: .null
    case .boolean(let flag): .flag(flag)
    case .integer(let number, _): Self.integer(number)
    case .float(let number): .real(Double("\(number)") ?? Double(number))
    case .double(let number): .real(number)
    case .date(let seconds): .date(seconds)
    case .data(let bytes): data(bytes)
    case .string(let text): self.text(text)
    case .reference(let number): object(number)
    case .array(let members), .set(let members): .list(members.map { self.value($0) })
    case .dictionary(let fields):
      .record(fields.map { (name: $0.key, value: self.value($0.value)) })
    }
  }

  private mutating func object(_ number: Int) -> ListedValue {
    // A containing object is referred to by number instead of being listed again.
    guard open.count < Self.deepest, budget.allowsValue(), open.insert(number).inserted else {
      return .record([(name: "@ref", value: .integer(Int64(number)))])
    }
    defer { open.remove(number) }
    switch archive.object(at: number) {
    case .null: return .null
    case .value(let inner): return value(inner)
    case .classDescription(let type): return .record([(name: "@class", value: .text(type.name))])
    case .instance(let type, let fields): return instance(type, fields)
    }
  }

  private mutating func instance(_ type: ArchiveClass, _ fields: [ArchiveField]) -> ListedValue {
    let values = Dictionary(
      fields.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    if type.isKind(of: "NSDictionary"), case .array(let keys)? = values["NS.keys"],
      case .array(let objects)? = values["NS.objects"], keys.count == objects.count
    {
      return dictionary(keys, objects)
    }
    if type.isKind(of: "NSArray") || type.isKind(of: "NSSet") || type.isKind(of: "NSOrderedSet") {
      if case .array(let members)? = values["NS.objects"] {
        return .list(members.map { value($0) })
      }
      let numbered = (0..<fields.count).prefix { values["NS.object.\($0)"] != nil }
      return .list(numbered.compactMap { values["NS.object.\($0)"] }.map { value($0) })
    }
    if type.isKind(of: "NSString"), case .string(let text)? = values["NS.string"] {
      return self.text(text)
    }
    if type.isKind(of: "NSData"), case .data(let bytes)? = values["NS.data"] {
      return data(bytes)
    }
    if type.isKind(of: "NSDate"), let time = values["NS.time"] { return date(time) }
    if type.isKind(of: "NSUUID"), case .data(let bytes)? = values["NS.uuidbytes"],
      let uuid = Self.uuid(bytes)
    {
      return .text(uuid)
    }
    if type.isKind(of: "NSURL"), let relative = values["NS.relative"] {
      let base = values["NS.base"].map { value($0) } ?? .null
      guard case .text(let text) = value(relative) else { return .null }
      guard case .text(let before) = base else { return .text(text) }
      return .text(URL(string: text, relativeTo: URL(string: before))?.absoluteString ?? text)
    }
    if type.isKind(of: "NSNull") { return .null }
    return .record(
      [(name: "@class", value: .text(type.name))]
        + fields.map { (name: $0.key, value: value($0.value)) })
  }

  private mutating func text(_ text: String) -> ListedValue {
    .text(budget.allows(bytes: text.utf8.count) ? text : "…")
  }

  private mutating func data(_ bytes: [UInt8]) -> ListedValue {
    budget.allows(bytes: bytes.count) ? .bytes(Data(bytes)) : .text("…")
  }

  private mutating func dictionary(_ keys: [ArchiveValue], _ objects: [ArchiveValue]) -> ListedValue
  {
    let names = keys.map { value($0) }
    let values = objects.map { value($0) }
    guard names.allSatisfy({ if case .text = $0 { true } else { false } }) else {
      return .list(zip(names, values).map { .list([$0, $1]) })
    }
    return .record(zip(names, values).map { (name: $0.cell ?? "", value: $1) })
  }

  private mutating func date(_ time: ArchiveValue) -> ListedValue {
    switch value(time) {
    case .real(let seconds): .date(seconds)
    case .integer(let seconds): .date(Double(seconds))
    case let other: other
    }
  }

  private static func uuid(_ bytes: [UInt8]) -> String? {
    guard bytes.count == 16 else { return nil }
    let digits = bytes.map { String(UInt16($0) | 0x100, radix: 16, uppercase: true).dropFirst() }
      .joined()
    return UUID(
      uuidString: [(0, 8), (8, 4), (12, 4), (16, 4), (20, 12)].map {
        String(digits.dropFirst($0.0).prefix($0.1))
      }.joined(separator: "-"))?.uuidString
  }
}
