import CoreData
import Foundation

extension Order {
  /// Returns a request for all orders.
  @nonobjc public class func fetchRequest() -> NSFetchRequest<Order> {
    NSFetchRequest<Order>(entityName: "Order")
  }

  /// The order's number.
  @NSManaged public var number: Int64
  /// The date of the order.
  @NSManaged public var placed: Date?
  /// The products that were ordered.
  @NSManaged public var products: NSSet?

  /// Adds a product to the order.
  @objc(addProductsObject:)
  @NSManaged public func addToProducts(_ value: Product)

  /// Removes a product from the order.
  @objc(removeProductsObject:)
  @NSManaged public func removeFromProducts(_ value: Product)
}
