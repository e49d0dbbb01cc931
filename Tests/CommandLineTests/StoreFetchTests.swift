import Foundation
import MomKit
import TestSupport
import Testing

@testable import ManagedObjects

/// `momtool store fetch` on a store with every kind of value, including unusual ones.
@Suite struct StoreFetchTests {
  /// Orders of one customer, with dates, totals, receipts, and names that must not reach a terminal.
  private static func store(in folder: URL, orders: Int = 3) throws -> String {
    let url = folder.appendingPathComponent("shop.sqlite")
    let model = try NSManagedObjectModel(
      loading: Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.momd").path)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    var customers: [NSManagedObject] = []
    for (number, name) in ["Ada\u{1B}[31m\r\nred\u{202E}", "", nil].enumerated() {
      let customer = NSEntityDescription.insertNewObject(forEntityName: "Customer", into: context)
      customer["name"] = name
      customer["email"] = "c\(number)@example.org"
      customer["id"] = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")
      try context.save()
      customers.append(customer)
    }
    for number in 0..<orders {
      let order = NSEntityDescription.insertNewObject(forEntityName: "Order", into: context)
      order["date"] = Date(timeIntervalSinceReferenceDate: 775_579_175.405035 + Double(number) * 60)
      order["total"] = Decimal(number)
      order["receipt"] = Data([1, 2, 3])
      order["customer"] = customers[0]
    }
    try context.save()
    return url.path
  }

  private static func fetch(
    _ store: String, _ arguments: [String], in folder: URL? = nil
  ) throws -> Tool.Outcome {
    try Tool.run(arguments: ["store", "fetch", store] + arguments, in: folder)
  }

  /// Conditions that used to match nothing silently, or that were undocumented.
  @Test func textsStandForDatesAndObjects() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try Self.store(in: folder)
      let first = "2025-07-30T14:39:35.405035Z"
      let cases: [([String], Int)] = [
        (["--where", "date > \"2025-07-30T14:40:00Z\""], 2),
        (["--where", "date >= \"\(first)\""], 3), (["--where", "date == \"\(first)\""], 1),
        (["--where", "date > \"2025-07-30\""], 3), (["--where", "date < \"2025-07-30\""], 0),
        (["--where", "date > \"2025-07-30T16:40:00+02:00\""], 2),
        (["--where", "date > 775579180"], 2),
        (["--where", "date BETWEEN {\"2025-07-30\", \"2025-07-30T14:40:00Z\"}"], 1),
        (["--where", "date == max(date)"], 1), (["--where", "date == min(date)"], 1),
        (["--where", "SELF == \"Order/p2\""], 1),
        (["--where", "self IN {\"Order/p1\", \"Order/p3\"}"], 2),
        (["--where", "customer == \"Customer/p1\""], 3),
        (["--where", "\"Customer/p1\" == customer"], 3),
        (["--where", "customer != \"Customer/p1\""], 0),
        (["--where", "customer.id == \"00112233-4455-6677-8899-aabbccddeeff\""], 3),
        (["--where", "total > $LEAST", "--bind", "LEAST=1"], 1),
        (["--where", "total > %@", "--argument", "0"], 2),
        (["--where", "date > $WHEN", "--bind", "WHEN=\"2025-07-30T14:40:00Z\""], 2),
        (["--where", "customer.email ENDSWITH \".org\""], 3),
        (["--where", "ANY customer.orders.total == 1"], 3),
      ]
      for (arguments, count) in cases {
        let run = try Self.fetch(store, ["Order", "--format", "jsonl"] + arguments)
        #expect(run.status == 0, "\(arguments): \(run.errors)")
        #expect(run.text.split(separator: "\n").count == count, "\(arguments)")
      }
    }
  }

  @Test func whatCannotComeTrueIsAnErrorWithItsPlace() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try Self.store(in: folder)
      let cases = [
        (
          "total > \"many\"",
          "this is a string, but is compared with a number\n  total > \"many\"\n           ^"
        ),
        ("customer.name == 5", "this is a number, but is compared with a string"),
        ("customer.name BEGINSWITH $X", "$X has no value; give one with --bind X=JSON"),
        (
          "date > \"yesterday\"",
          "'yesterday' isn't a date; write 2025-07-30T14:41:00Z, or 2025-07-30"
        ),
        ("date > \"2025-02-30\"", "'2025-02-30' isn't a date"),
        (
          "customer == \"Ada\"",
          "'Ada' isn't an object's name; write ENTITY/pKEY, such as Customer/p1"
        ),
        ("customer == \"Custmer/p1\"", "there is no entity 'Custmer' (did you mean 'Customer'?)"),
        ("totl > 1", "Order has no property 'totl' (did you mean 'total'?)"),
        ("customer.nam == \"x\"", "Customer has no property 'nam' (did you mean 'name'?)"),
        ("date BEGINSWITH \"2025\"", "BEGINSWITH compares strings, but this is a date"),
        ("total == date.x AND", "expected"),
      ]
      for (condition, message) in cases {
        let run = try Self.fetch(store, ["Order", "--where", condition])
        #expect(run.status == 2 && run.text.isEmpty, "\(condition)")
        #expect(run.errors.hasPrefix("--where: error: "), "\(run.errors)")
        #expect(run.errors.contains(message), "\(condition): \(run.errors)")
      }
      let sorted = try Self.fetch(store, ["Order", "--sort", "-dat"])
      #expect(
        sorted.errors.contains("--sort: error: Order has no property 'dat' (did you mean 'date'?)"))
      let entity = try Self.fetch(store, ["Ordr"])
      #expect(entity.errors.contains("the model has no entity 'Ordr' (did you mean 'Order'?)"))
      let none = try Self.fetch(store, [])
      #expect(none.status == 2)
      #expect(none.errors.contains("name the entity to fetch: Customer, Order"), "\(none.errors)")
    }
  }

  @Test func noValueIsNotAnEmptyText() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try Self.store(in: folder)
      let csv = try Self.fetch(
        store, ["Customer", "--format", "csv", "--columns", "email,name", "--sort", "-email"])
      #expect(
        csv.text.hasPrefix(
          "object,email,name\r\nCustomer/p3,c2@example.org,\r\nCustomer/p2,c1@example.org,\"\"\r\n"),
        "\(csv.text)")
      let rest = ["--columns", "name", "--where", "email != \"c0@example.org\""]
      let named = try Self.fetch(store, ["Customer", "--format", "csv", "--null", "\\N"] + rest)
      #expect(named.text == "object,name\r\nCustomer/p2,\"\"\r\nCustomer/p3,\\N\r\n")
      let table = try Self.fetch(store, ["Customer"] + rest)
      #expect(table.text == "object       name\nCustomer/p2\nCustomer/p3  NULL\n")
    }
  }

  @Test func tablesShowNothingThatControlsATerminal() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try Self.store(in: folder)
      for form in [["--columns", "name"], ["-x"]] {
        let run = try Self.fetch(store, ["Customer"] + form)
        #expect(run.status == 0)
        #expect(run.text.contains("Ada␛[31m⏎red<U+202E>"), "\(run.text)")
        #expect(!run.text.contains("\u{1B}") && !run.text.contains("\r"))
      }
    }
  }

  @Test func tablesAreAsWideAsTheyMay() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try Self.store(in: folder)
      let run = try Self.fetch(store, ["Order", "--width", "40"])
      #expect(run.text.split(separator: "\n").allSatisfy { $0.count <= 40 }, "\(run.text)")
      #expect(run.text.split(separator: "\n").count == 4)
      let narrow = try Self.fetch(store, ["Order", "--width", "20"])
      #expect(narrow.errors.contains("columns don't fit"))
      let one = try Self.fetch(store, ["Order", "--limit", "1", "--columns", "total,date", "-x"])
      #expect(one.text == "── Order/p1\ntotal  0\ndate   2025-07-30T14:39:35.405035Z\n")
      let wrong = try Self.fetch(store, ["Order", "--columns", "totl"])
      #expect(wrong.status == 2 && wrong.errors.contains("did you mean 'total'?"))
    }
  }

  /// A reader that closes the pipe ends the command silently and successfully.
  @Test func aClosedPipeEndsTheCommand() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try Self.store(in: folder, orders: 5000)
      for command in [
        "fetch '\(store)' Order", "fetch '\(store)' Order --format csv", "export '\(store)'",
      ] {
        let run = try Tool.run(
          URL(fileURLWithPath: "/bin/bash"),
          arguments: [
            "-c", "'\(Tool.url.path)' store \(command) | head -1; echo ${PIPESTATUS[0]}",
          ], in: nil)
        #expect(run.text.split(whereSeparator: \.isNewline).last == "0", "\(run.text)")
        #expect(run.errors.isEmpty, "\(run.errors)")
      }
    }
  }
}
