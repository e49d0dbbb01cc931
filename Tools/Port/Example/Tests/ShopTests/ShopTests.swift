import CoreData
import XCTest

@testable import Shop

final class ShopTests: XCTestCase {
  func testOrders() throws {
    let stack = ShopStack()
    let context = stack.container.viewContext
    let tea = Product(context: context)
    (tea.name, tea.price) = ("Tea", 2.5)
    let cake = Product(context: context)
    (cake.name, cake.price) = ("Cake", 3)
    for number in 1...3 {
      let order = Order(context: context)
      order.number = Int64(number)
      order.addToProducts(tea)
      if number == 3 { order.addToProducts(cake) }
    }
    try context.save()
    XCTAssertEqual(stack.saveCount, 1)
    XCTAssertEqual(try stack.orders(of: "Tea").map(\.number), [3, 2, 1])
    XCTAssertEqual(try stack.orders(of: "Cake").map(\.total), [5.5])
    XCTAssertNotNil(try stack.orders(of: "Tea").first?.placed)
  }
}
