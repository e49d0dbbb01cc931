import Foundation
import PredicateFormat
import PropertyLists

extension PredicateValue {
  /// Converts an archived value to a predicate constant.
  init(_ value: ArchiveFoundationValue) {
    switch value {
    case .null: self = .nsNull
    case .string(let text): self = .string(text)
    case .boolean(let value): self = .bool(value)
    case .integer(let value): self = .integer(Int64(value))
    case .unsigned(let value): self = .unsigned(value)
    case .double(let value): self = .double(value)
    case .decimal(let decimal): self = .decimal(decimal.decimal)
    case .date(let seconds): self = .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .data(let bytes): self = .data(Data(bytes))
    case .uuid(let bytes): self = UUID(archivedBytes: bytes).map { .uuid($0) } ?? .null
    case .url(let text, let base):
      self = URL(archivedText: text, base: base).map { .url($0) } ?? .string(text)
    case .array(let members): self = .array(members.map(PredicateValue.init))
    case .orderedSet(let members): self = .orderedSet(members.map(PredicateValue.init))
    case .set(let members): self = .set(members.map(PredicateValue.init))
    case .dictionary(let entries):
      self = .dictionary(
        entries.map { Entry(key: .string($0.key), value: PredicateValue($0.value)) })
    case .table(let rows):
      self = .dictionary(
        rows.map { Entry(key: PredicateValue($0.key), value: PredicateValue($0.value)) })
    case .mutable(let value): self.init(value)
    }
  }

  /// The value to archive; `nil` for values that expressions represent differently, and for objects of the program.
  var archiveValue: ArchiveFoundationValue? {
    switch self {
    case .null, .className, .object: return nil
    case .nsNull: return .null
    case .bool(let value): return .boolean(value)
    case .integer(let value): return Int(exactly: value).map { .integer($0) }
    case .unsigned(let value): return .unsigned(value)
    case .double(let value): return .double(value)
    // In a collection, a reader takes every real number for a Double.
    case .float(let value): return .double(Double(value))
    case .decimal(let value): return .decimal(ArchiveDecimal(value))
    case .string(let text): return .string(text)
    case .date(let date): return .date(date.timeIntervalSinceReferenceDate)
    case .data(let data): return .data(Array(data))
    case .uuid(let uuid): return .uuid(uuid.archivedBytes)
    case .url(let url): return .url(url.relativeString, base: url.baseURL?.absoluteString)
    case .array(let members): return Self.archiveValues(members).map { .array($0) }
    case .orderedSet(let members):
      return Self.archiveValues(members).map { .orderedSet($0) }
    case .set(let members): return Self.archiveValues(members).map { .set($0) }
    case .dictionary(let entries):
      var archived: [ArchiveFoundationValue.Entry] = []
      for entry in entries {
        guard case .string(let key) = entry.key, let value = entry.value.archiveValue else {
          return nil
        }
        archived.append(.init(key, value))
      }
      return .dictionary(archived)
    }
  }

  private static func archiveValues(
    _ members: [PredicateValue]
  ) -> [ArchiveFoundationValue]? {
    let values = members.compactMap(\.archiveValue)
    return values.count == members.count ? values : nil
  }
}
