import Foundation
import TestSupport
import Testing

@testable import DataModels

/// Default values in their many forms.
@Suite struct DefaultValueTests {
  /// A value, and what the attribute returns for it: its Swift type and its description.
  struct Form: Sendable, CustomTestStringConvertible {
    let type: NSAttributeType
    let given: @Sendable () -> Any
    let expected: String

    init(
      _ type: NSAttributeType, _ given: @autoclosure @escaping @Sendable () -> Any,
      _ expected: String
    ) {
      self.type = type
      self.given = given
      self.expected = expected
    }

    var testDescription: String { "\(type.label) \(Swift.type(of: given()))" }
  }

  private static let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  private static let uuidText = "UUID 01020304-0506-0708-090A-0B0C0D0E0F10"

  static let forms: [Form] = [
    Form(.integer16AttributeType, 5, "Int 5"),
    Form(.integer16AttributeType, Int8(-5), "Int -5"),
    Form(.integer32AttributeType, Int32(70000), "Int 70000"),
    Form(.integer64AttributeType, UInt64(7), "Int 7"),
    Form(.integer64AttributeType, Int64.max, "Int 9223372036854775807"),
    Form(.integer32AttributeType, NSNumber(value: 12), "Int 12"),
    Form(.integer32AttributeType, NSNumber(value: 12.0), "Int 12"),
    Form(.integer32AttributeType, true, "Int 1"),
    Form(.doubleAttributeType, 5, "Double 5.0"),
    Form(.doubleAttributeType, Float(0.5), "Double 0.5"),
    Form(.doubleAttributeType, NSNumber(value: 2.5), "Double 2.5"),
    Form(.floatAttributeType, 0.25, "Float 0.25"),
    Form(.floatAttributeType, NSNumber(value: Float(1.5)), "Float 1.5"),
    Form(.booleanAttributeType, true, "Bool true"),
    Form(.booleanAttributeType, 0, "Bool false"),
    Form(.booleanAttributeType, NSNumber(value: true), "Bool true"),
    Form(.booleanAttributeType, NSNumber(value: 1), "Bool true"),
    Form(.decimalAttributeType, NSDecimalNumber(string: "1.50"), "Decimal 1.5"),
    Form(.decimalAttributeType, Decimal(3), "Decimal 3"),
    Form(.decimalAttributeType, 3, "Decimal 3"),
    Form(.decimalAttributeType, 0.1, "Decimal 0.1"),
    Form(.stringAttributeType, "text", "String text"),
    Form(.stringAttributeType, NSString(string: "text"), "String text"),
    Form(
      .dateAttributeType, Date(timeIntervalSinceReferenceDate: 5), "Date 2001-01-01 00:00:05 +0000"),
    Form(
      .dateAttributeType, NSDate(timeIntervalSinceReferenceDate: 5),
      "Date 2001-01-01 00:00:05 +0000"),
    Form(.binaryDataAttributeType, Data([1, 2]), "Data 2 bytes"),
    Form(.binaryDataAttributeType, NSData(data: Data([1, 2])), "Data 2 bytes"),
    Form(.UUIDAttributeType, uuid, uuidText),
    Form(.UUIDAttributeType, uuid as NSUUID, uuidText),
    Form(.URIAttributeType, URL(fileURLWithPath: "/a"), "URL file:///a"),
    Form(.URIAttributeType, NSURL(fileURLWithPath: "/a"), "URL file:///a"),
    Form(.transformableAttributeType, "anything", "String anything"),
  ]

  @Test(arguments: forms) func areGivenInSwiftsType(form: Form) throws {
    let attribute = NSAttributeDescription()
    attribute.attributeType = form.type
    attribute.defaultValue = form.given()
    #expect(Self.text(attribute.swiftDefaultValue) == form.expected)
    // The order in which type and default value are set doesn't matter.
    let other = NSAttributeDescription()
    other.defaultValue = form.given()
    other.attributeType = form.type
    #expect(attribute == other)
    other.defaultValue = nil
    #expect(other.defaultValue == nil && attribute != other)
  }

  @Test(arguments: [
    Form(.integer16AttributeType, 40000, "Int 40000"),
    Form(.integer32AttributeType, 1 << 40, "Int 1099511627776"),
    Form(.integer64AttributeType, 0.5, "Double 0.5"), Form(.stringAttributeType, 5, "Int 5"),
    Form(.booleanAttributeType, 2, "Int 2"), Form(.dateAttributeType, "now", "String now"),
    Form(.doubleAttributeType, "x", "String x"), Form(.UUIDAttributeType, "x", "String x"),
  ])
  func thatDoNotFitAreKeptAndReported(form: Form) throws {
    let attribute = NSAttributeDescription()
    attribute.name = "a"
    attribute.attributeType = form.type
    attribute.defaultValue = form.given()
    #expect(Self.text(attribute.swiftDefaultValue) == form.expected)
    let findings = model([entity("E", [attribute])]).findings()
    #expect(findings.map(\.code) == [.defaultValue])
  }

  private static func text(_ value: Any?) -> String {
    value.map { "\(type(of: $0)) \($0)" } ?? "nil"
  }

  /// Code from Core Data casts the default of a 16-bit attribute to `Int16`.
  @Test(arguments: [
    NSAttributeType.integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
  ])
  func numbersAreCastAsValuesOfObjectsAre(type: NSAttributeType) {
    let attribute = NSAttributeDescription()
    (attribute.attributeType, attribute.defaultValue) = (type, 3)
    let value = attribute.defaultValue
    #expect(value as? Int16 == 3 && value as? Int32 == 3 && value as? Int64 == 3)
    #expect(value as? Int == 3 && value as? NSNumber == 3)
  }

  @Test func otherNumbersAreCastAsValuesOfObjectsAre() {
    let attribute = NSAttributeDescription()
    (attribute.attributeType, attribute.defaultValue) = (.doubleAttributeType, 0.5)
    #expect(attribute.defaultValue as? Double == 0.5 && attribute.defaultValue as? NSNumber == 0.5)
    (attribute.attributeType, attribute.defaultValue) = (.floatAttributeType, 0.25)
    #expect(attribute.defaultValue as? Float == 0.25)
    (attribute.attributeType, attribute.defaultValue) = (.booleanAttributeType, true)
    #expect(attribute.defaultValue as? Bool == true && attribute.defaultValue as? NSNumber == true)
    (attribute.attributeType, attribute.defaultValue) = (.decimalAttributeType, Decimal(3))
    #expect(attribute.defaultValue as? Decimal == 3)
    #expect(attribute.defaultValue as? NSDecimalNumber == 3)
  }

  @Test func valuesAreEqualByTypeAndContent() {
    let nested: [AnyHashable: Any] = ["a": [1, "x", ["k": NSDecimalNumber(string: "1.5")]]]
    let same: [AnyHashable: Any] = ["a": [1, "x", ["k": Decimal(string: "1.5") as Any]]]
    let other: [AnyHashable: Any] = ["a": [1, "x", ["k": Decimal(2)]]]
    #expect(ValueEquality.areEqual(nested, same))
    #expect(!ValueEquality.areEqual(nested, other))
    #expect(!ValueEquality.areEqual(true, 1))
    #expect(!ValueEquality.areEqual(nil, 1) && ValueEquality.areEqual(nil, nil))
    #expect(ValueEquality.areEqual(Data([1]), NSData(data: Data([1]))))
  }
}
