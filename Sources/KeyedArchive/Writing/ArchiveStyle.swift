/// Which texts of an archive are one object and which are several.
///
/// `NSKeyedArchiver` goes by the identity of its strings in memory: whether two equal texts stand
/// once or twice in a file depends on how the program that wrote it came by them. A style gives the
/// rules by which files of one kind of program come out.
public struct ArchiveStyle: Sendable {
  /// Class names that are a new object at each occurrence. Default: none.
  ///
  /// Names short enough for a tagged pointer are one object for each text all the same.
  public var distinctClassNames: Set<String>

  /// Makes a style.
  public init(distinctClassNames: Set<String> = []) {
    self.distinctClassNames = distinctClassNames
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
