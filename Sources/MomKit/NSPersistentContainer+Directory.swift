import Foundation
import ManagedObjects

extension NSPersistentContainer {
  /// Where stores go that have no other place, as `NSPersistentContainer.defaultDirectoryURL()` says. The
  /// newer spelling; it is in this module since a type can't have both in one.
  public static var defaultDirectoryURL: URL { defaultDirectoryURL() }
}
