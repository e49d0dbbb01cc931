import Foundation
import PropertyLists

extension ModelDecoder {
  /// Decodes a value of one of Foundation's plain classes.
  func foundationValue(_ number: Int) throws(ArchiveError) -> ArchiveFoundationValue? {
    try spend(on: number)
    return try archive.foundationValue(ofObject: number, &valueBudget)
  }

  /// Counts an object that is decoded anew at each use, so that nested uses of one object can't multiply without limit.
  func spend(on number: Int) throws(ArchiveError) {
    budget -= 1
    guard budget >= 0 else {
      throw ArchiveError(
        .limitExceeded, "predicates and values use the same objects too many times over",
        object: number)
    }
  }

  /// Decodes a default value, and its exact form if the value alone would not preserve it.
  func defaultValue(
    _ number: Int
  ) throws(ArchiveError) -> (value: AttributeValue, exact: ArchiveFoundationValue?) {
    switch archive.object(at: number) {
    case .null: return (.none, nil)
    case .value(.boolean(let value)): return (.bool(value), nil)
    case .value(.integer(let value, _)):
      guard let value = Int64(exactly: value) else { break }
      return (.integer(value), nil)
    case .value(.float(let value)): return (.float(value), nil)
    case .value(.double(let value)): return (.double(value), nil)
    case .value(.string):
      return (try reader.string(at: number).map { .string($0) } ?? .none, nil)
    case .instance(let type, _):
      switch ArchivedModelClass.kind(of: type) {
      case .string: return (try reader.string(at: number).map { .string($0) } ?? .none, nil)
      case .unknown:
        return (.other(.init(UnknownArchivedObject(source: source, number: number))), nil)
      default: break
      }
    default: break
    }
    guard let value = try foundationValue(number) else { return (.none, nil) }
    let plain = value.any
    return (AttributeValue(plain), ArchiveFoundationValue(plain) == value ? nil : value)
  }
}
