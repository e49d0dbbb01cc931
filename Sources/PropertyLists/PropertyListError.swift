/// What is wrong with a property list, and where.
///
/// Every reader of the package's lowest module throws this one type. The position is a byte offset
/// into the file, and where the fault lies in one object of a binary property list, that object's
/// number as well:
///
/// ```swift
/// do {
///   _ = try BinaryPropertyList([UInt8]("bplist00".utf8))
/// } catch {
///   print(error)  // "byte 8: the file is shorter than a header and a trailer"
/// }
/// ```
public struct PropertyListError: Error, Hashable, Sendable {
  /// The kind of fault, for programs.
  public enum Code: String, Hashable, Sendable {
    /// The bytes are no binary property list at all.
    case notAPropertyList
    /// The trailer, the offset table or a count disagrees with the file's size.
    case malformedStructure
    /// One object cannot be read: an unknown marker, a bad reference, invalid text.
    case malformedObject
    /// An array, set or dictionary holds itself.
    case cycle
    /// A limit of ``PropertyListLimits`` was passed.
    case limitExceeded
    /// An XML property list is not well formed.
    case malformedXML
    /// The value asked for has another type.
    case typeMismatch
    /// The file could not be opened, read or written.
    case unreadableFile
  }

  /// The kind of fault.
  public var code: Code
  /// What is wrong, and where it helps, what to do, in one sentence without a full stop.
  public var message: String
  /// The byte offset of the fault in the file; `nil` when it concerns the file as a whole.
  public var offset: Int?
  /// The number of the object at fault in the binary property list's object table.
  public var object: Int?

  /// Makes an error.
  public init(_ code: Code, _ message: String, offset: Int? = nil, object: Int? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
    self.object = object
  }
}

extension PropertyListError: CustomStringConvertible {
  /// The position, then the message: `object 12, byte 340: …`.
  public var description: String {
    let place = [object.map { "object \($0)" }, offset.map { "byte \($0)" }].compactMap { $0 }
    return place.isEmpty ? message : place.joined(separator: ", ") + ": " + message
  }
}
