import CoreData

/// A contact; the properties are generated.
@objc(Contact)
public class Contact: NSManagedObject {
  public override func awakeFromInsert() {
    super.awakeFromInsert()
    identifier = UUID()
  }

  /// What sections are made of.
  @objc var initial: String { String((name ?? "").prefix(1)).uppercased() }
}
