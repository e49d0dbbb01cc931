/// Rules for which equal strings and numbers of an archive share one object, and for the order of its dictionaries.
///
/// `NSKeyedArchiver` uniques strings and numbers by their identity in memory. Whether two equal values are written once
/// or twice therefore depends on how the writing program obtained them, and on the system it ran on. A style holds the
/// rules that reproduce the files of one kind of program.
public struct ArchiveStyle: Sendable {
  /// Which equal numbers share one object.
  public enum NumberSharing: Hashable, Sendable {
    /// Numbers of equal type and value share one object, as on 64-bit systems.
    case byValue
    /// Each integer from 0 to 12 is one object. Other numbers share one object per value where they are objects of the
    /// archive, and are a new object wherever they occur in a field.
    case smallIntegersAndObjects
    /// Each integer from 0 to 12 is one object; every other number is a new object at each occurrence.
    case smallIntegers
  }

  /// Class names that become a new object at each occurrence. Default: none.
  ///
  /// Names short enough for a tagged pointer are shared nevertheless.
  public var distinctClassNames: Set<String>

  /// Whether all other class names share one object per string. Default: true.
  public var sharesClassNames = true

  /// Whether equal strings that fit a tagged pointer share one object everywhere, as on 64-bit systems. Default: true.
  public var tagsShortTexts = true

  /// Which equal numbers share one object. Default: those of equal type and value.
  public var numberSharing: NumberSharing = .byValue

  /// Whether hashes have 32 bits, which changes the order of dictionaries. Default: false.
  public var has32BitHashes = false

  /// Whether the archive's top-level dictionary was allocated for more keys than it has. Default: true.
  public var hasWideTop = true

  /// Creates a style.
  public init(distinctClassNames: Set<String> = []) {
    self.distinctClassNames = distinctClassNames
  }

  /// Whether a string is one object wherever it occurs.
  func tags(_ text: String) -> Bool { tagsShortTexts && Self.isTagged(text) }

  /// The hash that determines the order of dictionaries.
  package func hash(_ text: String) -> UInt64 {
    cut(CoreFoundationOrder.hash(text))
  }

  /// Reduces a 64-bit hash to the one that determines the order of dictionaries.
  package func cut(_ hash: UInt64) -> UInt64 {
    has32BitHashes ? hash & 0xFFFF_FFFF : hash
  }

  /// Whether a string fits a tagged pointer on a 64-bit system, so that all equal strings are one object.
  ///
  /// This holds for up to 7 ASCII characters, up to 9 of the 64 most frequent ones, and up to 11 of the 32 most
  /// frequent ones.
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

  /// The rank of each byte among the frequent characters; 255 for all others.
  private static let ranks: [UInt8] = {
    var ranks = [UInt8](repeating: 255, count: 256)
    let frequent = "eilotrm.apdnsIc ufkMShjTRxgC4013bDNvwyUL2O856P-B79AFKEWV_zGJ/HYX"
    for (rank, byte) in frequent.utf8.enumerated() { ranks[Int(byte)] = UInt8(rank) }
    return ranks
  }()
}
