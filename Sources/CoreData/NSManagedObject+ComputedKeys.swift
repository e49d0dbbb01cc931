#if !canImport(ObjectiveC)
  import Foundation
  import MomKit

  extension NSManagedObject {
    /// Returns a computed property's value as key-value coding does: numbers, Boolean values and the raw values of
    /// enumerations as `NSNumber`. `momtool port` calls this in overrides of `value(forKey:)`.
    public func keyValue<Value>(of value: Value) -> Any? {
      let raw = (value as? any RawRepresentable).map { $0.rawValue as Any } ?? value
      return raw as? NSNumber ?? raw
    }

    /// Returns a computed property's value, or nil if there is none.
    public func keyValue<Value>(of value: Value?) -> Any? { value.flatMap { keyValue(of: $0) } }
  }
#endif
