#if !canImport(ObjectiveC)
  import Foundation

  /// Negates a Boolean value: Foundation's `NSNegateBoolean`.
  final class NegateBooleanTransformer: ValueTransformer, @unchecked Sendable {
    // Sendable: it has no properties.

    override class func transformedValueClass() -> AnyClass { NSNumber.self }

    override func transformedValue(_ value: Any?) -> Any? {
      NSNumber(value: !((value as? NSNumber)?.boolValue ?? (value as? Bool) ?? false))
    }
  }

  /// Says whether a value is nil, or isn't: Foundation's `NSIsNil` and `NSIsNotNil`.
  final class NilTransformer: ValueTransformer, @unchecked Sendable {
    // Sendable: immutable.

    private let isNegated: Bool

    init(isNegated: Bool) {
      self.isNegated = isNegated
      super.init()
    }

    required convenience init() { self.init(isNegated: false) }

    override class func transformedValueClass() -> AnyClass { NSNumber.self }
    override class func allowsReverseTransformation() -> Bool { false }

    override func transformedValue(_ value: Any?) -> Any? {
      NSNumber(value: (value == nil) != isNegated)
    }
  }
#endif
