import Foundation
import OrderedCollections

/// Conversions of user info dictionaries between Core Data's unordered type and the ordered internal form.
enum UserInfo {
  /// The entries sorted by the text of their keys, the only order that is stable between runs.
  static func ordered(_ dictionary: [AnyHashable: Any]?) -> OrderedDictionary<AnyHashable, Any> {
    guard let dictionary, !dictionary.isEmpty else { return [:] }
    let sorted = dictionary.sorted { "\($0.key)" < "\($1.key)" }
    return OrderedDictionary(uniqueKeysWithValues: sorted.map { ($0.key, $0.value) })
  }

  /// The entries as an unordered dictionary.
  static func dictionary(_ entries: OrderedDictionary<AnyHashable, Any>) -> [AnyHashable: Any] {
    entries.isEmpty
      ? [:] : Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
  }
}
