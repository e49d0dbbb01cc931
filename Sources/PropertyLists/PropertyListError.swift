/// What is wrong with a property list, and where.
///
/// All readers of this module that don't deal with keyed archives throw this type. The location is a byte offset in the
/// file and, if the fault lies in one object of a binary property list, that object's number:
///
/// ```swift
/// do {
///   _ = try BinaryPropertyList([UInt8]("bplist00".utf8))
/// } catch {
///   print(error)  // "byte 8: the file is shorter than a header and a trailer"
/// }
/// ```
public struct PropertyListError: Error, Hashable, Sendable {
  /// The kind of fault, for use in code.
  public enum Code: String, Hashable, Sendable {
    /// The bytes are not a property list.
    case notAPropertyList
    /// The trailer, the offset table or a count is inconsistent with the file's size.
    case malformedStructure
    /// An object cannot be read: an unknown marker, an invalid reference, or invalid text.
    case malformedObject
    /// An array, set or dictionary contains itself.
    case cycle
    /// A limit of ``PropertyListLimits`` was exceeded.
    case limitExceeded
    /// An XML property list is not well-formed.
    case malformedXML
    /// The requested value has another type.
    case typeMismatch
    /// The file could not be opened, read or written.
    case unreadableFile
  }

  /// The kind of fault.
  public var code: Code
  /// What is wrong and, where it helps, what to do about it, in one sentence without a full stop.
  public var message: String
  /// The byte offset of the fault in the file; `nil` when it concerns the file as a whole.
  public var offset: Int?
  /// The number of the object at fault in the binary property list's object table.
  public var object: Int?

  /// Creates an error.
  public init(_ code: Code, _ message: String, offset: Int? = nil, object: Int? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
    self.object = object
  }
}

extension PropertyListError: CustomStringConvertible {
  /// The location, followed by the message: `object 12, byte 340: …`.
  public var description: String {
    let place = [object.map { "object \($0)" }, offset.map { "byte \($0)" }].compactMap { $0 }
    return place.isEmpty ? message : place.joined(separator: ", ") + ": " + message
  }
}
