/// Which equal texts and numbers of an archive are one object and which are several, and in which
/// order dictionaries stand.
///
/// `NSKeyedArchiver` goes by the identity of its strings and numbers in memory: whether two equal ones
/// stand once or twice in a file depends on how the program that wrote it came by them, and on the
/// system it ran on. A style gives the rules by which files of one kind of program come out.
public struct ArchiveStyle: Sendable {
  /// Which equal numbers are one object.
  public enum NumberSharing: Hashable, Sendable {
    /// Numbers of one type and value are one object, as on systems of 64 bits.
    case byValue
    /// Integers from 0 to 12 are one object each. Others are one object for each value where they are
    /// objects of the archive, and a new one wherever they stand in a field.
    case smallIntegersAndObjects
    /// Integers from 0 to 12 are one object each, all other numbers a new one at each occurrence.
    case smallIntegers
  }

  /// Class names that are a new object at each occurrence. Default: none.
  ///
  /// Names short enough for a tagged pointer are one object for each text all the same.
  public var distinctClassNames: Set<String>

  /// Whether all other class names are one object for each text. Default: true.
  public var sharesClassNames = true

  /// Whether equal texts that fit a tagged pointer are one object wherever they stand, as on systems
  /// of 64 bits. Default: true.
  public var tagsShortTexts = true

  /// Which equal numbers are one object. Default: those of one type and value.
  public var numberSharing: NumberSharing = .byValue

  /// Whether hashes have 32 bits, so that dictionaries stand in other orders. Default: false.
  public var has32BitHashes = false

  /// Whether the archive's own dictionary was made for more keys than it has. Default: true.
  public var hasWideTop = true

  /// Makes a style.
  public init(distinctClassNames: Set<String> = []) {
    self.distinctClassNames = distinctClassNames
  }

  /// Whether a text is one object wherever it stands.
  func tags(_ text: String) -> Bool { tagsShortTexts && Self.isTagged(text) }

  /// The hash by which dictionaries are ordered.
  package func hash(_ text: String) -> UInt64 {
    cut(CoreFoundationOrder.hash(text))
  }

  /// The hash by which dictionaries are ordered, of one of 64 bits.
  package func cut(_ hash: UInt64) -> UInt64 {
    has32BitHashes ? hash & 0xFFFF_FFFF : hash
  }

  /// Whether a string fits a tagged pointer of a 64-bit system, so that all equal ones are one.
  ///
  /// True of up to 7 ASCII characters, up to 9 of the 64 most frequent ones, and up to 11 of the
  /// 32 most frequent ones.
  public static func isTagged(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { utf8 in
      switch utf8.count {
      case ...7: return utf8.allSatisfy { $0 < 0x80 && $0 > 0 }
      case ...9: return utf8.allSatisfy { ranks[Int($0)] < 64 }
      case ...11: return utf8.allSatisfy { ranks[Int($0)] < 32 }
      default: return false
      }
    }
  }

  /// The place of each byte among the frequent characters; 255 for all others.
  private static let ranks: [UInt8] = {
    var ranks = [UInt8](repeating: 255, count: 256)
    let frequent = "eilotrm.apdnsIc ufkMShjTRxgC4013bDNvwyUL2O856P-B79AFKEWV_zGJ/HYX"
    for (rank, byte) in frequent.utf8.enumerated() { ranks[Int(byte)] = UInt8(rank) }
    return ranks
  }()
}
