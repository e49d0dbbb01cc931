import Foundation
import ManagedObjects

extension NSPersistentContainer {
  /// Where stores go that have no other place, as ``NSPersistentContainer/defaultDirectoryURL()`` says. The
  /// newer spelling; it is in this module since a type can't have both in one.
  public static var defaultDirectoryURL: URL { defaultDirectoryURL() }
}

/// The number of the framework that new stores are made for, in their metadata: Core Data's of macOS 15 and
/// iOS 18.
public let NSCoreDataVersionNumber = Double(FrameworkVersion.current.rawValue)
