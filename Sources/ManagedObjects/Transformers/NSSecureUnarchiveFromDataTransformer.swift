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
  /// Foundation decodes the custom class, after the archive was checked to be well formed and to contain only allowed
  /// classes and, within their objects, classes with `NSSecureCoding`. An `init(coder:)` must handle unexpected content
  /// itself, and name the classes of the objects that it decodes, `decodeObject(of:forKey:)`: for an object of another
  /// class Foundation stops the program.
  open class NSSecureUnarchiveFromDataTransformer: ValueTransformer, @unchecked Sendable {
    // Sendable: has no state of its own; a subclass must guard its own state.

    /// The custom classes that values, and members of plain collections, may have, with their subclasses. Empty unless
    /// overridden.
    ///
    /// Classes of objects that only such an object's `init(coder:)` decodes needn't be among them.
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
