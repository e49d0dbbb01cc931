import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// Numbers whose type changes become what they become in SQLite stores.
@Suite(.enabled(if: TestServer.isThere)) struct NumberMigrationTests {
  private static let types: [NSAttributeType] = [
    .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
    .doubleAttributeType, .floatAttributeType, .decimalAttributeType, .booleanAttributeType,
  ]

  private static func numbers(
    of type: NSAttributeType, for new: NSAttributeType
  ) -> [NSNumber?] {
    let integers: [Int64] = [0, 1, -1, 7, 32_767, -32_768]
    let wide: [Int64] = [40_000, -40_000, 1_234_567, -2_147_483_648]
    // Decimals keep more digits than in SQLite.
    let widest: [Int64] =
      [9_007_199_254_740_991] + (new == .decimalAttributeType ? [] : [.max, .min])
    let reals = [2.5, 2.7, -2.7, 3.5, 0.1, 1_234_567, 3e9, -3e9]
    switch type {
    case .integer16AttributeType: return integers.map { NSNumber(value: $0) } + [nil]
    case .integer32AttributeType: return (integers + wide).map { NSNumber(value: $0) } + [nil]
    case .integer64AttributeType:
      return (integers + wide + widest).map { NSNumber(value: $0) } + [nil]
    case .floatAttributeType: return reals.map { NSNumber(value: Float($0)) } + [1e30, nil]
    case .decimalAttributeType:
      return reals.map { NSDecimalNumber(string: "\($0)") } + [
        NSDecimalNumber(string: "1e30"), nil,
      ]
    case .booleanAttributeType: return [true, false, nil]
    default:
      return reals.map { NSNumber(value: $0) }
        + [9_007_199_254_740_991, 1e30, -1e30, 1e100, 1e-60, NSNumber(value: Double.nan), nil]
    }
  }

  /// Numbers are truncated towards zero and clamped to the new type's range, and keep their digits.
  @Test(arguments: types) func numbersOfOtherTypesAreThoseOfSQLite(new: NSAttributeType) throws {
    let pairs = Self.types.filter { $0 != new }
    func model(_ type: (NSAttributeType) -> NSAttributeType) -> NSManagedObjectModel {
      TestModel.model(
        pairs.map { old in
          TestModel.entity(
            "Item\(old.rawValue)",
            [
              TestModel.attribute("n", .integer64AttributeType),
              TestModel.attribute("x", type(old)),
            ])
        })
    }
    try MigrationTrial.run(from: { model { $0 } }, to: { model { _ in new } }) { context in
      for old in pairs {
        for (index, number) in Self.numbers(of: old, for: new).enumerated() {
          _ = context.insert("Item\(old.rawValue)", ["n": index, "x": number])
        }
      }
      try context.save()
    } describe: { context in
      try pairs.flatMap { old in
        try context.all("Item\(old.rawValue)", sortedBy: "n").map {
          // SQLite stores have nil instead of what isn't a number.
          let number = $0.value(forKey: "x") as? NSNumber
          let text = number.map { $0.doubleValue.isNaN ? "nil" : "\($0)" } ?? "nil"
          return "\(old.rawValue) \($0.value(forKey: "n") ?? "") \(text)"
        }
      }
    }
  }
}
