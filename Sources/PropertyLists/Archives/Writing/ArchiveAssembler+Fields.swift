/// The bookkeeping of an assembler for unfinished objects.
extension ArchiveAssembler {
  /// A field of an open object. A plain value, since large archives have millions of them.
  struct Field: BitwiseCopyable {
    enum Kind: UInt8, BitwiseCopyable {
      /// A value stored in the object itself.
      case node
      /// A value stored in `$objects`: a string or a number.
      case leaf
      /// Another object, encoded here if it has not been yet.
      case object
      /// Another object, of which only the number is needed here.
      case conditional
      /// An array made of a number of the following fields.
      case list
    }

    var key: UInt32
    var kind: Kind
    /// The node, the identity's number, or the length of a list.
    var value: Int
    /// The item to request from the source; if negative, the index of a stored Foundation value.
    var item = 0
  }

  struct OpenObject: BitwiseCopyable {
    var number: Int
    var classIndex: Int
    var start: Int
    var end: Int
    var next: Int
    var hasLists: Bool
    /// The hash of the keys, including those of list members.
    var keyHash: UInt64
  }

  struct IdentityState: BitwiseCopyable {
    /// 0 before the first reference.
    var number: UInt32 = 0
    /// The node of a leaf; −1 for objects.
    var leaf: Int32 = -1
  }
}
