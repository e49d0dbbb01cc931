#if !canImport(ObjectiveC)
  import Foundation
  import Synchronization

  /// The name a value transformer is registered under.
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name's text.
    public let rawValue: String

    /// Makes the name of this text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes the name of this text.
    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// The transformer that Core Data uses when an attribute names none: keyed archives of
    /// Foundation's plain classes.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName(
      "NSSecureUnarchiveFromData")
    /// The transformer of older models; here it does the same.
    public static let keyedUnarchiveFromDataTransformerName = NSValueTransformerName(
      "NSKeyedUnarchiveFromData")
    /// The transformer of the oldest models, for archives without keys, which aren't read.
    public static let unarchiveFromDataTransformerName = NSValueTransformerName(
      "NSUnarchiveFromData")
  }

  /// Turns values into others, and back if it can.
  ///
  /// Foundation has this class on Apple's systems only; this is its counterpart elsewhere, with the
  /// same names. For a transformable attribute a transformer turns the value into `Data` and back:
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
    // Sendable: has no state of its own; a subclass's is the program's to guard.
    private static let known = Mutex<[NSValueTransformerName: ValueTransformer]>([
      .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
      .keyedUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
    ])

    /// Makes a transformer.
    public required override init() {}

    /// Registers a transformer under a name; nil takes the name away.
    public static func setValueTransformer(
      _ transformer: ValueTransformer?, forName name: NSValueTransformerName
    ) {
      known.withLock { $0[name] = transformer }
    }

    /// The transformer of a name: one that was registered, or a new one of the class of that name;
    /// nil when there is neither.
    static func named(_ name: NSValueTransformerName) -> ValueTransformer? {
      if let transformer = known.withLock({ $0[name] }) { return transformer }
      // The class itself may be named as well.
      if name.rawValue == "NSSecureUnarchiveFromDataTransformer" {
        return known.withLock { $0[.secureUnarchiveFromDataTransformerName] }
      }
      // Foundation complains aloud about names of more than two parts.
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

    /// The class of the values it gives.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether it can turn values back. True, unless a class says otherwise.
    open class func allowsReverseTransformation() -> Bool { true }

    /// The value that `value` is turned into; itself, unless a class says otherwise.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// The value that `value` was made of; without a reverse of its own it is turned once more.
    open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }
  }

  /// Lets an initializer give an object that is there already, which a class's own can't.
  public protocol NamedValueTransformer {}

  extension ValueTransformer: NamedValueTransformer {}

  extension NamedValueTransformer where Self: ValueTransformer {
    /// The transformer registered under a name, or a new one of the class of that name; nil when
    /// there is neither.
    public init?(forName name: NSValueTransformerName) {
      guard let transformer = ValueTransformer.named(name) as? Self else { return nil }
      self = transformer
    }
  }
#endif
