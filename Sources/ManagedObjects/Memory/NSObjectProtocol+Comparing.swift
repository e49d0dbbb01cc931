import Foundation

extension NSObjectProtocol where Self: NSObject {
  /// An object as one of the receiver's class, if it is of exactly that; nil for anything else.
  ///
  /// Sets compare neighbours all the time, and a cast takes longer than all the rest of it.
  @inline(__always)
  func sameClass(_ object: Any) -> Self? {
    guard ObjectIdentifier(type(of: object)) == ObjectIdentifier(type(of: self)) else { return nil }
    // What an existential holds of an instance of a class is the reference.
    return withUnsafeBytes(of: object) {
      Unmanaged<Self>.fromOpaque($0.load(as: UnsafeMutableRawPointer.self)).takeUnretainedValue()
    }
  }
}
