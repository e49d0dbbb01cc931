import CoreData

/// The shop's Core Data stack.
public final class ShopStack: NSObject {
  private static let model = NSManagedObjectModel.mergedModel(from: [Bundle.module])

  /// The persistent container.
  public let container: NSPersistentContainer
  /// The number of saves so far.
  public private(set) var saveCount = 0

  /// Creates a shop with an in-memory store.
  public override init() {
    container = NSPersistentContainer(
      name: "Shop", managedObjectModel: Self.model ?? NSManagedObjectModel())
    super.init()
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
    ]
    container.loadPersistentStores { _, error in
      if let error { preconditionFailure("\(error)") }
    }
    NotificationCenter.default.addObserver(
      self, selector: #selector(contextDidSave(_:)), name: .NSManagedObjectContextDidSave,
      object: container.viewContext)
  }

  @objc private func contextDidSave(_ notification: Notification) {
    saveCount += 1
  }

  /// Returns the orders that include a product, by descending number.
  public func orders(of name: String) throws -> [Order] {
    let request: NSFetchRequest<Order> = Order.fetchRequest()
    request.predicate = NSPredicate(
      format: "ANY %K == %@", #keyPath(Order.products.name), name)
    request.sortDescriptors = [NSSortDescriptor(key: #keyPath(Order.number), ascending: false)]
    return try container.viewContext.fetch(request)
  }
}
