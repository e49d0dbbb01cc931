import CoreData
import Foundation

extension Order {
  /// All orders.
  @nonobjc public class func fetchRequest() -> NSFetchRequest<Order> {
    NSFetchRequest<Order>(entityName: "Order")
  }

  /// The order's number.
  @NSManaged public var number: Int64
  /// When it was placed.
  @NSManaged public var placed: Date?
  /// What was ordered.
  @NSManaged public var products: NSSet?

  /// Orders a product.
  @objc(addProductsObject:)
  @NSManaged public func addToProducts(_ value: Product)

  /// Orders a product no more.
  @objc(removeProductsObject:)
  @NSManaged public func removeFromProducts(_ value: Product)
}
