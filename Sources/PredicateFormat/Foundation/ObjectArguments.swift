import Foundation
import Synchronization

/// Objects as arguments of C's functions.
///
/// On Linux `String(format:)` and `NSLog` read beyond most objects, or trap. So what is passed is the address of an
/// object's description, and the predicate formats find the object by that address.
///
/// Nothing says when a C argument list is no longer used: an object that was passed in one is never released.
package enum ObjectArguments {
  /// The objects' addresses, by those of their descriptions.
  private static let objects = Mutex<[Int: Int]>([:])

  /// The argument for an object.
  package static func encoding(of object: NSObject) -> [Int] {
    let argument = address(of: NSString(string: "\(object)"))
    let object = address(of: object)
    objects.withLock { objects in
      for (key, value) in zip(argument, object) { objects[key] = value }
    }
    return argument
  }

  /// The argument for an object that C's functions can print.
  static func address(of object: NSObject) -> [Int] {
    [Int(bitPattern: Unmanaged.passRetained(object).toOpaque())]
  }

  /// The object that was passed as an argument: one that has passed a description, or the one at the address.
  static func object(at address: UnsafeRawPointer) -> Any {
    let described = objects.withLock { $0[Int(bitPattern: address)] }
    let object = described.flatMap(UnsafeRawPointer.init(bitPattern:)) ?? address
    return Unmanaged<AnyObject>.fromOpaque(object).takeUnretainedValue()
  }
}
