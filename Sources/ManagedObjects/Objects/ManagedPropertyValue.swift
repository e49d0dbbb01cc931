import DataModels
import Foundation

/// A type of a managed property.
///
/// Numbers, `Bool`, `String`, `Date`, `Data`, `UUID`, `URL`, `Decimal`, their optionals, object classes, and sets and
/// arrays of them conform. A custom type can conform for use in transformable attributes. An enumeration with raw
/// values can conform for use in attributes of its raw type, too:
///
/// ```swift
/// extension Color: ManagedPropertyValue {}
///
/// enum Kind: Int16, ManagedPropertyValue { case short, long }
/// ```
public protocol ManagedPropertyValue {
  /// The value of a property of an object; for internal use.
  static func managedValue(of property: ManagedProperty, in object: NSManagedObject) -> Self
  /// The value of a property that is declared optional and has a value; nil if the value isn't of this type. For
  /// internal use.
  static func managedValueIfAny(of property: ManagedProperty, in object: NSManagedObject) -> Self?
  /// The substitute for a missing value, or one of another type, in a property that isn't optional. If nil, the
  /// default for a custom type, reading such a property traps.
  static var absentValue: Self? { get }
  /// Sets a property of an object; for internal use.
  func setManagedValue(of property: ManagedProperty, in object: NSManagedObject)
}
