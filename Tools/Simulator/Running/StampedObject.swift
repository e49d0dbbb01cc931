import MomKit

/// Objects of entities whose class has a say: new ones begin with a value, and every save sets it to another.
final class StampedObject: NSManagedObject {
  /// The key of an entity's user info under which the attribute is named.
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
