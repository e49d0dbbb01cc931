import DataModels
import Foundation

/// A type that a managed property may have.
///
/// Numbers, `Bool`, `String`, `Date`, `Data`, `UUID`, `URL`, `Decimal`, their optionals, object
/// classes, and sets and arrays of them are. A type of your own becomes one by saying so, for
/// transformable attributes; an enumeration that has raw values, for attributes of their type too:
///
/// ```swift
/// extension Color: ManagedPropertyValue {}
///
/// enum Kind: Int16, ManagedPropertyValue { case short, long }
/// ```
public protocol ManagedPropertyValue {
  /// The value of a property of an object; for internal use.
  static func managedValue(of property: ManagedProperty, in object: NSManagedObject) -> Self
  /// The same for a property that is declared optional and has a value: nil for one that isn't of the type; for
  /// internal use.
  static func managedValueIfAny(of property: ManagedProperty, in object: NSManagedObject) -> Self?
  /// What a property that isn't optional reads as while it has no value, or one that isn't of this
  /// type; nil, as a type has it that says nothing, traps.
  static var absentValue: Self? { get }
  /// Sets a property of an object; for internal use.
  func setManagedValue(of property: ManagedProperty, in object: NSManagedObject)
}
