import CoreData

/// An order: a hand-written class.
@objc(Order)
public class Order: NSManagedObject {
  public override func awakeFromInsert() {
    super.awakeFromInsert()
    setPrimitiveValue(Date(timeIntervalSinceReferenceDate: 0), forKey: #keyPath(Order.placed))
  }

  /// The total price.
  public var total: Double {
    (products as? Set<Product> ?? []).reduce(0) { $0 + $1.price }
  }
}
