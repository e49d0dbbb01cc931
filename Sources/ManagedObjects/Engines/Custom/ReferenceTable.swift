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
    var last: Int64 = 0
  }

  private let state = Mutex(State())

  /// The key of a reference object; a new key for an unknown one.
  func key(for reference: AnyHashable, _ root: EntityLayout) -> Int64 {
    let root = ObjectIdentifier(root)
    let box = Unchecked(reference)
    return state.withLock { state in
      let place = Place(root: root, reference: box.value)
      if let known = state.keys[place] { return known }
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

  /// The key of the reference object with this description. If none is known, the text itself becomes a reference
  /// object with a new key.
  func key(forText text: String, _ root: EntityLayout) -> Int64 {
    let place = Place(root: ObjectIdentifier(root), reference: text)
    return state.withLock { $0.texts[place] } ?? key(for: text, root)
  }

  private struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}
