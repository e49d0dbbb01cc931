import PredicateFormat

/// Predicates ask a property for its name and its notes: that of a fetched property may say
/// `$FETCHED_PROPERTY.userInfo.search`.
extension NSPropertyDescription: KeyValueReadable {
  /// The value of one of the keys `name` and `userInfo`.
  public final func predicateValue(
    forKey key: String
  ) throws(PredicateFormatError) -> PredicateValue {
    switch key {
    case "name": return .string(name)
    case "userInfo": return PredicateValue(reading: userInfo)
    default: throw .undefinedKey(key, of: self)
    }
  }
}
