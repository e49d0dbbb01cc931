#if !canImport(ObjectiveC)
  import Foundation
  import Synchronization

  /// The name under which a value transformer is registered.
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name's text.
    public let rawValue: String

    /// Creates a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a name.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The transformer that Core Data uses if an attribute names none: keyed archives of plain Foundation classes.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
      "NSSecureUnarchiveFromData")
    /// The transformer of older models; equivalent to the current default here.
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName(
      "NSKeyedUnarchiveFromData")
    /// The transformer of the oldest models, for archives without keys, which can't be decoded.
    public static let unarchiveFromDataTransformerName = NSValueTransformerName(
      "NSUnarchiveFromData")
    /// The transformer that negates a Boolean value, both ways.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// The transformer that says whether a value is nil.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// The transformer that says whether a value isn't nil.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
  }

  /// Transforms values, and optionally reverses the transformation.
  ///
  /// Foundation has this class on Apple's systems only; this is its counterpart elsewhere, with the same names. For a
  /// transformable attribute a transformer converts the value to `Data` and back:
  ///
  /// ```swift
  /// final class ColorTransformer: ValueTransformer, @unchecked Sendable {
  ///   override class func transformedValueClass() -> AnyClass { NSData.self }
  ///   override func transformedValue(_ value: Any?) -> Any? { (value as? Color)?.bytes }
  ///   override func reverseTransformedValue(_ value: Any?) -> Any? {
  ///     (value as? Data).flatMap { Color(bytes: $0) }
  ///   }
  /// }
  /// ValueTransformer.setValueTransformer(
  ///   ColorTransformer(), forName: NSValueTransformerName("ColorTransformer"))
  /// ```
  open class ValueTransformer: NSObject, @unchecked Sendable {
    // Sendable: has no state of its own; a subclass must guard its own state.
    private static let known = Mutex<[NSValueTransformerName: ValueTransformer]>([
      .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
      .keyedUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
      .negateBooleanTransformerName: NegateBooleanTransformer(),
      .isNilTransformerName: NilTransformer(isNegated: false),
      .isNotNilTransformerName: NilTransformer(isNegated: true),
    ])

    /// Creates a transformer.
    public required override init() {}

    /// Registers a transformer under a name; nil unregisters the name.
    public static func setValueTransformer(
      _ transformer: ValueTransformer?, forName name: NSValueTransformerName
    ) {
      known.withLock { $0[name] = transformer }
    }

    /// The transformer with a name: the registered one, or a new instance of the class with that name; nil if there
    /// is neither.
    static func named(_ name: NSValueTransformerName) -> ValueTransformer? {
      if let transformer = known.withLock({ $0[name] }) { return transformer }
      // The name of the class is accepted too.
      if name.rawValue == "NSSecureUnarchiveFromDataTransformer" {
        return known.withLock { $0[.secureUnarchiveFromDataTransformerName] }
      }
      // Foundation logs an error for names with more than two components.
      guard name.rawValue.split(separator: ".").count == 2,
        let type = NSClassFromString(name.rawValue) as? ValueTransformer.Type
      else { return nil }
      let made = type.init()
      setValueTransformer(made, forName: name)
      return made
    }

    /// The names of the registered transformers.
    public static func valueTransformerNames() -> [NSValueTransformerName] {
      known.withLock { $0.keys.sorted { $0.rawValue < $1.rawValue } }
    }

    /// The class of transformed values.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether the transformation can be reversed. True unless overridden.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Transforms a value; returns it unchanged unless overridden.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Reverses the transformation; applies the same transformation again unless overridden.
    open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }
  }

  /// Enables an initializer that returns an existing object, which a class's own initializers can't do.
  public protocol NamedValueTransformer {}

  extension ValueTransformer: NamedValueTransformer {}

  extension NamedValueTransformer where Self: ValueTransformer {
    /// Creates a reference to the transformer registered under a name, or a new instance of the class with that name;
    /// nil if there is neither.
    public init?(forName name: NSValueTransformerName) {
      guard let transformer = ValueTransformer.named(name) as? Self else { return nil }
      self = transformer
    }
  }
#endif
