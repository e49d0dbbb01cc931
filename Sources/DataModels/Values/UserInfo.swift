import Foundation
import OrderedCollections

/// User info dictionaries: Core Data's unordered type outside, the order of the file inside.
enum UserInfo {
  /// The entries in the order of their keys' texts, the only order that doesn't change from one run
  /// to the next.
  static func ordered(_ dictionary: [AnyHashable: Any]?) -> OrderedDictionary<AnyHashable, Any> {
    guard let dictionary, !dictionary.isEmpty else { return [:] }
    let sorted = dictionary.sorted { "\($0.key)" < "\($1.key)" }
    return OrderedDictionary(uniqueKeysWithValues: sorted.map { ($0.key, $0.value) })
  }

  /// The entries as Core Data's type.
  static func dictionary(_ entries: OrderedDictionary<AnyHashable, Any>) -> [AnyHashable: Any] {
    entries.isEmpty
      ? [:] : Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
  }
}
