import Foundation

// On Apple's systems these types can be passed `as CVarArg` in a format's arguments, and Xcode suggests doing so; there
// the Objective-C runtime converts them to objects.

extension Date: @retroactive CVarArg {
  /// The address of an `NSDate`.
  public var _cVarArgEncoding: [Int] { encoded(self as NSDate) }
}

extension UUID: @retroactive CVarArg {
  /// The address of an `NSUUID`.
  public var _cVarArgEncoding: [Int] { encoded(self as NSUUID) }
}

extension URL: @retroactive CVarArg {
  /// The address of an `NSURL`.
  public var _cVarArgEncoding: [Int] { encoded(self as NSURL) }
}

extension Data: @retroactive CVarArg {
  /// The address of an `NSData`.
  public var _cVarArgEncoding: [Int] { encoded(self as NSData) }
}

extension NSNumber: @retroactive CVarArg {
  /// Its address.
  public var _cVarArgEncoding: [Int] { encoded(self) }
}

extension NSDate: @retroactive CVarArg {
  /// Its address.
  public var _cVarArgEncoding: [Int] { encoded(self) }
}

extension NSData: @retroactive CVarArg {
  /// Its address.
  public var _cVarArgEncoding: [Int] { encoded(self) }
}

extension NSURL: @retroactive CVarArg {
  /// Its address.
  public var _cVarArgEncoding: [Int] { encoded(self) }
}

extension NSSet: @retroactive CVarArg {
  /// Its address.
  public var _cVarArgEncoding: [Int] { encoded(self) }
}

extension NSDictionary: @retroactive CVarArg {
  /// Its address.
  public var _cVarArgEncoding: [Int] { encoded(self) }
}

extension NSError: @retroactive CVarArg {
  /// The address of its description: `String(format:)` can't describe an object of Swift's own.
  public var _cVarArgEncoding: [Int] { encoded(NSString(string: "\(self)")) }
}

extension Array: @retroactive CVarArg {
  /// The address of an `NSArray`.
  public var _cVarArgEncoding: [Int] { encoded(NSArray(array: self)) }
}

extension Set: @retroactive CVarArg {
  /// The address of an `NSSet`.
  public var _cVarArgEncoding: [Int] { encoded(NSSet(set: self)) }
}

/// The object's address. It isn't used here, because format strings take their arguments as values. The object is
/// retained for any other code that uses it.
private func encoded(_ object: AnyObject) -> [Int] {
  [Int(bitPattern: Unmanaged.passRetained(object).toOpaque())]
}
