import MomKit

/// Objects whose class sets an attribute: to one value in a new object, and to another with every save.
final class StampedObject: NSManagedObject {
  /// The key in an entity's user info for the name of the attribute.
  static let attributeKey = "stamp"
  /// The numbers of the two values.
  static let new = 1
  static let saved = 0

  private func stamp(_ number: Int) {
    guard let key = entity.userInfo?[Self.attributeKey] as? String,
      let kind = (entity.userInfo?[key] as? String).flatMap(AttributeKind.init)
    else { return }
    let present = value(forKey: key).flatMap(kind.number)
    if present != number { setValue(kind.value(number), forKey: key) }
  }

  override func awakeFromInsert() {
    super.awakeFromInsert()
    stamp(Self.new)
  }

  override func willSave() {
    super.willSave()
    if !isDeleted { stamp(Self.saved) }
  }
}
