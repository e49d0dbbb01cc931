import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Derived attributes in a table with other entities, and of what is stored in files.
@Suite struct NamesakeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func derived(
    _ name: String, _ type: NSAttributeType, _ format: String
  ) -> NSDerivedAttributeDescription {
    let attribute = NSDerivedAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = true
    attribute.derivationExpression = NSExpression(format: format)
    return attribute
  }

  /// `Account {transfers}` with `Saving {balance}`, which is the sum of its transfers, and two other subentities with a
  /// balance: that of `Credit` is plain, and that of `Count` the number of its transfers.
  private func accounts() throws -> NSManagedObjectContext {
    let transfers = SmallModel.relationship("transfers", many: true)
    let owner = SmallModel.relationship("account")
    let account = SmallModel.entity("Account", [SmallModel.text("name"), transfers])
    account.isAbstract = true
    let transfer = SmallModel.entity(
      "Transfer", [attribute("amount", .doubleAttributeType), owner])
    SmallModel.link((transfers, of: account), (owner, of: transfer))
    let saving = SmallModel.entity(
      "Saving", [derived("balance", .doubleAttributeType, "transfers.@sum.amount")])
    let credit = SmallModel.entity(
      "Credit", [attribute("balance", .doubleAttributeType)])
    let count = SmallModel.entity(
      "Count", [derived("balance", .integer64AttributeType, "transfers.@count")])
    account.subentities = [saving, credit, count]
    return SmallModel.context(
      try SmallModel.coordinator(
        SmallModel.model(account, saving, credit, count, transfer), folder.file("a.sqlite")))
  }

  @Test func anotherEntitysAttributeOfTheSameNameStays() throws {
    let context = try accounts()
    let credit = SmallModel.new("Credit", ["balance": 100.0], in: context)
    let saving = SmallModel.new("Saving", in: context)
    let count = SmallModel.new("Count", in: context)
    try context.save()
    for account in [credit, saving, count] {
      SmallModel.new("Transfer", ["amount": 7.0, "account": account], in: context)
    }
    try context.save()
    #expect(credit["balance"] as? Double == 100)
    #expect(saving["balance"] as? Double == 7)
    #expect(count["balance"] as? Int == 1)
    credit["balance"] = 105.0
    for account in [saving, count] {
      SmallModel.new("Transfer", ["amount": 2.0, "account": account], in: context)
    }
    try context.save()
    #expect(saving["balance"] as? Double == 9)
    #expect(count["balance"] as? Int == 2)
    context.refreshAllObjects()
    #expect(credit["balance"] as? Double == 105)
    #expect(saving["balance"] as? Double == 9)
    #expect(count["balance"] as? Int == 2)
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// A value in a file belongs to the row that it was written for.
  @Test(arguments: [false, true]) func filesAreNotDerived(keepsInFiles: Bool) throws {
    let items = SmallModel.relationship("items", many: true)
    let keeper = SmallModel.relationship("owner")
    let photo = attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    let owner = SmallModel.entity("Owner", [photo, items])
    let copy = derived("ownerPhoto", .binaryDataAttributeType, "owner.photo")
    copy.allowsExternalBinaryDataStorage = keepsInFiles
    let item = SmallModel.entity("Item", [keeper, copy])
    SmallModel.link((items, of: owner), (keeper, of: item))
    let context = SmallModel.context(
      try SmallModel.coordinator(SmallModel.model(owner, item), folder.file("p.sqlite")))
    let person = SmallModel.new("Owner", ["photo": Data(count: 200_000)], in: context)
    let other = SmallModel.new("Owner", ["photo": Data(count: 200)], in: context)
    let things = [person, other].map { SmallModel.new("Item", ["owner": $0], in: context) }
    try context.save()
    context.refreshAllObjects()
    for thing in things {
      #expect(thing["ownerPhoto"] == nil)
      context.delete(thing)
    }
    try context.save()
    context.refreshAllObjects()
    #expect((person["photo"] as? Data)?.count == 200_000)
    #expect((other["photo"] as? Data)?.count == 200)
  }
}
