#if !canImport(ObjectiveC)
  import Foundation

  /// Decodes keyed archives and encodes values as keyed archives. Core Data uses this transformer for a transformable
  /// attribute that names none.
  ///
  /// Plain Foundation classes are supported: strings, numbers, dates, data, URLs, UUIDs, and collections of these. To
  /// allow a custom class with `NSSecureCoding`, define a subclass:
  ///
  /// ```swift
  /// final class ColorTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
  ///   override class var allowedTopLevelClasses: [AnyClass] { [Color.self] }
  /// }
  /// ValueTransformer.setValueTransformer(
  ///   ColorTransformer(), forName: NSValueTransformerName("ColorTransformer"))
  /// ```
  ///
  /// Foundation decodes the custom class, after the archive was checked to be well formed and to contain no other
  /// classes. Its `init(coder:)` must handle unexpected content itself.
  open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, @unchecked Sendable {
    // Sendable: has no state of its own; a subclass must guard its own state.

    /// The custom classes that values may have. Empty unless overridden.
    open class var allowedTopLevelClasses: [AnyClass] { [] }

    /// The decoded value; nil if the bytes aren't an archive of an allowed class.
    open override func transformedValue(_ value: Any?) -> Any? {
      (value as? Data).flatMap {
        try? ValueArchive.value(of: $0, allowing: type(of: self).allowedTopLevelClasses)
      }
    }

    /// The archive of a value; nil for a value that can't be archived, or that contains an object of a class that
    /// isn't allowed and couldn't be decoded again.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
      value.flatMap {
        try? ValueArchive.data(of: $0, allowing: type(of: self).allowedTopLevelClasses)
      }
    }
  }
#endif
