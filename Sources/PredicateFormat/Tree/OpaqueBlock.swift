import Foundation

/// The block of an `NSExpression(block:arguments:)`.
public final class OpaqueBlock: @unchecked Sendable, Hashable {
  /// Takes the evaluated object, the arguments' values, and the context.
  public typealias Body = (Any?, [Any], NSMutableDictionary?) -> Any

  /// The block.
  public let body: Body

  /// Wraps a block.
  public init(_ body: @escaping Body) { self.body = body }

  /// Equal when the same object.
  public static func == (left: OpaqueBlock, right: OpaqueBlock) -> Bool { left === right }

  /// Hashes by identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
