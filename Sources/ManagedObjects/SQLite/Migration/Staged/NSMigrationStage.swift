import Foundation

/// A part of a staged migration: an ``NSLightweightMigrationStage`` or ``NSCustomMigrationStage``.
open class NSMigrationStage: NSObject, @unchecked Sendable {
  /// A name for people.
  open var label: String?

  override init() { super.init() }
}
