import Foundation

// On Apple's systems these types can be passed `as CVarArg` in a format's arguments, and Xcode suggests doing so; there
// the Objective-C runtime converts them to objects. See ``ObjectArguments`` for what becomes of them here.

extension Date: @retroactive CVarArg {
  /// An `NSDate`.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self as NSDate) }
}

extension UUID: @retroactive CVarArg {
  /// An `NSUUID`.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self as NSUUID) }
}

extension URL: @retroactive CVarArg {
  /// An `NSURL`.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self as NSURL) }
}

extension Data: @retroactive CVarArg {
  /// An `NSData`.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self as NSData) }
}

extension Decimal: @retroactive CVarArg {
  /// An `NSDecimalNumber`, which C's functions can't print.
  public var _cVarArgEncoding: [Int] {
    ObjectArguments.encoding(of: HashableDecimalNumber(decimal: self))
  }
}

extension Substring: @retroactive CVarArg {
  /// An `NSString`.
  public var _cVarArgEncoding: [Int] { ObjectArguments.address(of: NSString(string: String(self))) }
}

extension NSNumber: @retroactive CVarArg {
  /// Its address, since C's functions can print it.
  public var _cVarArgEncoding: [Int] { ObjectArguments.address(of: self) }
}

extension NSDate: @retroactive CVarArg {
  /// Itself.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self) }
}

extension NSData: @retroactive CVarArg {
  /// Itself.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self) }
}

extension NSURL: @retroactive CVarArg {
  /// Itself.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self) }
}

extension NSSet: @retroactive CVarArg {
  /// Itself.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self) }
}

extension NSDictionary: @retroactive CVarArg {
  /// Itself.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self) }
}

extension NSUUID: @retroactive CVarArg {
  /// Itself.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self) }
}

extension NSArray: @retroactive CVarArg {
  /// Itself.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self) }
}

extension NSOrderedSet: @retroactive CVarArg {
  /// Itself.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self) }
}

extension NSNull: @retroactive CVarArg {
  /// Itself.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self) }
}

extension NSError: @retroactive CVarArg {
  /// Itself.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: self) }
}

extension Array: @retroactive CVarArg {
  /// An `NSArray`.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: NSArray(array: self)) }
}

extension Set: @retroactive CVarArg {
  /// An `NSSet`.
  public var _cVarArgEncoding: [Int] { ObjectArguments.encoding(of: NSSet(set: self)) }
}

extension Dictionary: @retroactive CVarArg {
  /// An `NSDictionary`.
  public var _cVarArgEncoding: [Int] {
    ObjectArguments.encoding(of: NSDictionary(dictionary: self as [AnyHashable: Any]))
  }
}
