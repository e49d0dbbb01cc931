import Foundation

extension NSObjectProtocol where Self: NSObject {
  /// The object as an instance of the receiver's class; nil if its class isn't exactly that.
  ///
  /// Sets compare elements all the time, and a cast would take longer than the rest of the comparison.
  @inline(__always)
  func sameClass(_ object: Any) -> Self? {
    guard ObjectIdentifier(type(of: object)) == ObjectIdentifier(type(of: self)) else { return nil }
    // An existential that holds a class instance stores the reference.
    return withUnsafeBytes(of: object) {
      Unmanaged<Self>.fromOpaque($0.load(as: UnsafeMutableRawPointer.self)).takeUnretainedValue()
    }
  }
}
