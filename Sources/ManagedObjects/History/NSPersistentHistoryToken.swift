import Foundation

/// A bookmark in the persistent history of one or more stores. Later history can be requested with it, also in
/// another run of the program.
///
/// ```swift
/// let data = try NSKeyedArchiver.archivedData(
///   withRootObject: token, requiringSecureCoding: true)
/// ```
public final class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding,
  @unchecked Sendable
{
  // Sendable: immutable.

  private static let key = "NSPersistentHistoryTokenDictionary"

  /// The numbers of the last transactions before the bookmark, by store UUID.
  let numbers: [String: Int64]

  init(_ numbers: [String: Int64]) { self.numbers = numbers }

  /// Always true.
  public static var supportsSecureCoding: Bool { true }

  /// Decodes a token.
  public init?(coder: NSCoder) {
    let classes: [AnyClass] = [NSDictionary.self, NSString.self, NSNumber.self]
    guard
      let numbers = coder.decodeObject(of: classes, forKey: Self.key) as? [String: NSNumber]
    else { return nil }
    self.numbers = numbers.mapValues(\.int64Value)
  }

  /// Encodes the token.
  public func encode(with coder: NSCoder) {
    coder.encode(
      NSDictionary(dictionary: numbers.mapValues { NSNumber(value: $0) }), forKey: Self.key)
  }

  /// Returns the token itself, which is immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPersistentHistoryToken)?.numbers == numbers
  }

  public override var hash: Int { numbers.hashValue }

  public override var description: String {
    let list = numbers.sorted { $0.key < $1.key }.map { "\"\($0.key)\" = \($0.value);" }
    return "<NSPersistentHistoryToken - { \(list.joined(separator: " ")) }>"
  }
}
