import Foundation

/// The keys of a request's dictionaries. All of these share the keys' objects: making these for each one, and a Swift
/// dictionary first, takes twice as long as all the rest.
@_spi(Engines) public struct DictionaryKeys {
  private let keys: [NSString]

  /// - Parameter plan: the plan whose columns' names are the keys.
  public init(_ plan: DictionaryPlan) {
    keys = plan.columns.map { NSString(string: $0.name) }
  }

  /// Makes the dictionary of a row.
  ///
  /// - Parameter values: a value for each column, in their order; nil for none, which leaves the key out.
  public func dictionary(_ values: [Any?]) -> NSDictionary {
    var present: [Any] = []
    present.reserveCapacity(values.count)
    for case let value? in values { present.append(value) }
    guard present.count < keys.count else { return NSDictionary(objects: present, forKeys: keys) }
    return NSDictionary(objects: present, forKeys: zip(keys, values).filter { $1 != nil }.map(\.0))
  }
}
