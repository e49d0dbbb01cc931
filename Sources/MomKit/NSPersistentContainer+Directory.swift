import Foundation
import ManagedObjects

extension NSPersistentContainer {
  /// The default location of stores, as returned by `NSPersistentContainer.defaultDirectoryURL()`. This is the newer
  /// form; it is declared in this module because a type can't have both in the same module.
  public static var defaultDirectoryURL: URL { defaultDirectoryURL() }
}
