/// What an assembler keeps of objects that are not done yet.
extension ArchiveAssembler {
  /// A field of an open object. Of plain words: a large archive has millions.
  struct Field: BitwiseCopyable {
    enum Kind: UInt8, BitwiseCopyable {
      /// A value that stands in the object itself.
      case node
      /// A value that stands in `$objects`: text or a number.
      case leaf
      /// Another object, encoded here if it was not before.
      case object
      /// Another object, whose number alone is wanted here.
      case conditional
      /// As many of the following fields make an array.
      case list
    }

    var key: UInt32
    var kind: Kind
    /// The node, the number of an identity, or the count of a list.
    var value: Int
    /// What to ask the source for; below zero, one of the values kept for that.
    var item = 0
  }

  struct OpenObject: BitwiseCopyable {
    var number: Int
    var classIndex: Int
    var start: Int
    var end: Int
    var next: Int
    var hasLists: Bool
    /// The hash of the keys, members of lists included.
    var keyHash: UInt64
  }

  struct IdentityState: BitwiseCopyable {
    /// 0 before its first reference.
    var number: UInt32 = 0
    /// The node of a leaf; −1 for objects.
    var leaf: Int32 = -1
  }
}
