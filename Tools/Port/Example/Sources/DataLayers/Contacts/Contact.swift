import CoreData

/// A contact. Its properties are generated.
@objc(Contact)
public class Contact: NSManagedObject {
  public override func awakeFromInsert() {
    super.awakeFromInsert()
    identifier = UUID()
  }

  /// The section name.
  @objc var initial: String { String((name ?? "").prefix(1)).uppercased() }
}
