#if !canImport(ObjectiveC)
  import Foundation

  /// Makes values of keyed archives, and keyed archives of values: what Core Data uses for a
  /// transformable attribute that names no transformer.
  ///
  /// Foundation's plain classes are read: text, numbers, dates, data, URLs, UUIDs, and collections of
  /// them. A class of your own with `NSSecureCoding` is allowed by a subclass:
  ///
  /// ```swift
  /// final class ColorTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
  ///   override class var allowedTopLevelClasses: [AnyClass] { [Color.self] }
  /// }
  /// ValueTransformer.setValueTransformer(
  ///   ColorTransformer(), forName: NSValueTransformerName("ColorTransformer"))
  /// ```
  ///
  /// Foundation decodes such a class, after the archive was checked to be sound and to hold no other
  /// class; what its `init(coder:)` does with unexpected content is its own affair.
  open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, @unchecked Sendable {
    // Sendable: has no state of its own; a subclass's is the program's to guard.

    /// The classes of your own that values may be of. None, unless a class says so.
    open class var allowedTopLevelClasses: [AnyClass] { [] }

    /// The value in an archive; nil for what is no archive of an allowed class.
    open override func transformedValue(_ value: Any?) -> Any? {
      (value as? Data).flatMap {
        try? ValueArchive.value(of: $0, allowing: type(of: self).allowedTopLevelClasses)
      }
    }

    /// The archive of a value; nil for one that can't be archived, or holds an object of a class that
    /// isn't allowed and so could not be read again.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
      value.flatMap {
        try? ValueArchive.data(of: $0, allowing: type(of: self).allowedTopLevelClasses)
      }
    }
  }
#endif
