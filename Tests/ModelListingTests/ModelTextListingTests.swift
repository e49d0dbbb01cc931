import Foundation
import ModelListing
import Testing

struct ModelTextListingTests {
  @Test func everyFeatureOfAModelIsShown() {
    let expected = """
      model Shop.mom
        version identifiers  "1.2"
        compiler             Xcode 15.4, tool 22758
        checksum             c2hvcA==
        entities             3
        localization         "Property/total/Entity/Order" = "Total"

      entity Customer  class Shop.Customer
        composite     address       Composite   optional
        element       address.city  String      optional
        element       address.zip   Integer 16  required  default 0
        attribute     name          String      required  default "?"  spotlight  renamed from \
      fullName  hash modifier "2"
            valid if length >= 1  else 1670 (too short)
            valid if SELF MATCHES "[a-z]+"  else "lower case only"
            user info hint = "shown \\"first\\"\\n"
        derived       orderCount    Integer 64  optional  = count:(orders)  where TRUEPREDICATE
        relationship  orders        ->> Order   optional  ordered  inverse customer  delete \
      cascade  count 0...10
        fetched       recent        ->> Order   optional  where customer == $FETCH_SOURCE  order \
      date descending  limit 5  transient
        index         byName        name ascending, expression1 = lowercase:(name) as String \
      r-tree descending  where name != nil
        unique        name, address
        user info     table = 7

      entity Item  abstract  subentities Order
        attribute       price      Decimal        required  default 10.5
        attribute       thumbnail  Transformable  optional  values UIImage  transformer \
      NSSecureUnarchiveFromData  external storage  preserved on deletion  cloud encryption
        compound index  price, thumbnail
        spotlight name  name

      entity Order: Item  renamed from Purchase  hash modifier "x"
        relationship  customer  -> Customer  required  inverse orders  delete nullify  count 1...1
        attribute     date      Date         optional  default 2001-01-01T00:00:00Z  indexed  \
      external record

      configuration Cloud
        Customer
        Order

      fetch request bigOrders ->> Order
        where price > 100
        batch 20
        object IDs
        distinct

      """
    let text = ModelTextListing(ShopSchema.model, title: "Shop.mom").text
    #expect(text == expected)
  }

  @Test func oneEntityIsShownAlone() throws {
    let part = try #require(ShopSchema.model.only(entity: "Order"))
    #expect(part.entities.map(\.name) == ["Order"])
    #expect(part.fetchRequestTemplates.map(\.name) == ["bigOrders"])
    #expect(ShopSchema.model.only(entity: "order") == nil)
  }

  @Test(arguments: [
    ("plain_Name1", "plain_Name1"), ("Größe", "Größe"), ("two words", "\"two words\""),
    ("", "\"\""), ("a\nb", "\"a\\nb\""), ("\u{1B}[31m", "\"\\u{1B}[31m\""),
    ("a\u{202E}b", "\"a\\u{202E}b\""), ("q\"\\", "\"q\\\"\\\\\""),
  ])
  func namesCannotBreakALineOrSteerATerminal(name: String, shown: String) {
    let text = ModelTextListing(ModelSchema(entities: [.init(name: name)])).text
    #expect(text == "model\n  entities  1\n\nentity \(shown)\n")
  }

  @Test(arguments: [
    (ModelSchema.Value.integer(.min), "-9223372036854775808"),
    (.double(0.1), "0.1"), (.double(.nan), "nan"), (.boolean(true), "true"), (.null, "null"),
    (.date(0.5), "0.5 s since 2001"), (.date(-1e300), "-1e+300 s since 2001"),
    (.data(Data([0, 255])), "<00ff>"),
    (.array([.integer(1), .string("a")]), "[1, \"a\"]"),
    (.dictionary(["b": .integer(1), "a": .integer(2)]), "{a = 2, b = 1}"),
    (.object("UIColor"), "(UIColor)"), (.uri("http://a b"), "<http://a b>"),
  ])
  func valuesAreShownInFull(value: ModelSchema.Value, shown: String) {
    let property = ModelSchema.Property(
      .init(name: "p"), .attribute(.init(type: .init(rawValue: 0), defaultValue: value)))
    let text = ModelTextListing(
      ModelSchema(entities: [.init(name: "E", properties: [property])])
    ).text
    #expect(text.hasSuffix("  attribute  p  Undefined  optional  default \(shown)\n"))
  }

  @Test func paintDressesTextByItsRole() {
    let listing = ModelTextListing(ShopSchema.model) { role, text in "<\(role)>\(text)</>" }
    #expect(listing.text.contains("<keyword>entity</> <entity>Order</>: <entity>Item</>"))
    let plain = ModelTextListing(ShopSchema.model).text
    var stripped = listing.text.replacing("</>", with: "")
    for role in ModelTextListing.Role.allCases {
      stripped = stripped.replacing("<\(role.rawValue)>", with: "")
    }
    #expect(stripped == plain, "paint must not move columns")
  }
}
