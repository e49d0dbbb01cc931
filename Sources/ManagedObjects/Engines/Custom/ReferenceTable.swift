import Foundation
import Synchronization

/// The reference objects by which a client-defined store identifies its rows, and the corresponding keys.
final class ReferenceTable: Sendable {
  private struct Place: Hashable {
    let root: ObjectIdentifier
    let reference: AnyHashable
  }

  private struct Row: Hashable {
    let root: ObjectIdentifier
    let key: Int64
  }

  private struct State: @unchecked Sendable {
    // Sendable: guarded by the table's mutex.
    var keys: [Place: Int64] = [:]
    var references: [Row: AnyHashable] = [:]
    var texts: [Place: Int64] = [:]
    /// The rows known by their text alone, whose store may give another object for them.
    var presumed: Set<Row> = []
    var last: Int64 = 0
  }

  private let state = Mutex(State())

  /// The key of a reference object; a new key for an unknown one. Objects that are equal on Apple's systems, where
  /// `1` and `NSNumber(1)` are the same, have the same key.
  func key(for reference: AnyHashable, _ root: EntityLayout) -> Int64 {
    let root = ObjectIdentifier(root)
    let (box, canonical) = (Unchecked(reference), Unchecked(Self.canonical(reference)))
    return state.withLock { state in
      let place = Place(root: root, reference: canonical.value)
      if let known = state.keys[place] {
        let row = Row(root: root, key: known)
        if state.presumed.remove(row) != nil { state.references[row] = box.value }
        return known
      }
      state.last += 1
      state.keys[place] = state.last
      state.references[Row(root: root, key: state.last)] = box.value
      state.texts[Place(root: root, reference: "\(box.value)")] = state.last
      return state.last
    }
  }

  /// The reference object of a key.
  func reference(of key: Int64, _ root: EntityLayout) -> AnyHashable? {
    let row = Row(root: ObjectIdentifier(root), key: key)
    return state.withLock { Unchecked($0.references[row]) }.value
  }

  /// The key of the reference object with this description. If none is known, one is presumed: a number if the text is
  /// one, as in Core Data, or the text itself.
  func key(forText text: String, _ root: EntityLayout) -> Int64 {
    let place = Place(root: ObjectIdentifier(root), reference: text)
    if let known = state.withLock({ $0.texts[place] }) { return known }
    let key =
      if let number = Self.number(text) {
        key(for: NSNumber(value: number), root)
      } else {
        key(for: text, root)
      }
    _ = state.withLock { $0.presumed.insert(Row(root: place.root, key: key)) }
    return key
  }

  /// The number of which a text is the description.
  private static func number(_ text: String) -> Int64? {
    Int64(text).flatMap { "\($0)" == text ? $0 : nil }
  }

  /// The Swift value of a Foundation object. Numbers of all types are equal if their values are, and to their texts, which
  /// no URI distinguishes.
  private static func canonical(_ reference: AnyHashable) -> AnyHashable {
    switch reference.base {
    case let text as NSString:
      number(text as String).map(AnyHashable.init) ?? AnyHashable(text as String)
    case let decimal as NSDecimalNumber:
      number(decimal.stringValue).map(AnyHashable.init) ?? AnyHashable(decimal.decimalValue)
    case let number as NSNumber:
      switch UnicodeScalar(UInt8(bitPattern: number.objCType.pointee)) {
      case "d", "f": number.doubleValue
      case "Q": number.uint64Value
      default: number.int64Value
      }
    case let uuid as NSUUID: uuid as UUID
    case let url as NSURL: url as URL
    case let date as NSDate: date as Date
    case let data as NSData: data as Data
    default: reference
    }
  }

  // Sendable: reference objects are values, which the store and the table only compare.
  private struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}
