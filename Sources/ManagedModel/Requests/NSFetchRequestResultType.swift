/// The form of a fetch request's results.
public struct NSFetchRequestResultType: OptionSet, Hashable, Sendable {
  /// The number in archives.
  public let rawValue: UInt

  /// Makes the type of this number.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// Managed objects.
  public static var managedObjectResultType: NSFetchRequestResultType { [] }
  /// The identities of managed objects.
  public static let managedObjectIDResultType = NSFetchRequestResultType(rawValue: 1)
  /// Dictionaries of the properties asked for.
  public static let dictionaryResultType = NSFetchRequestResultType(rawValue: 2)
  /// How many there are: one number.
  public static let countResultType = NSFetchRequestResultType(rawValue: 4)
}
