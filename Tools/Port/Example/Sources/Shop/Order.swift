import CoreData

/// The entity `Order`, whose class is written by hand.
@objc(Order)
public class Order: NSManagedObject {
  public override func awakeFromInsert() {
    super.awakeFromInsert()
    setPrimitiveValue(Date(timeIntervalSinceReferenceDate: 0), forKey: #keyPath(Order.placed))
  }

  /// What it costs.
  public var total: Double {
    (products as? Set<Product> ?? []).reduce(0) { $0 + $1.price }
  }
}
