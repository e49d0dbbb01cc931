import Foundation
import PredicateFormat

/// Finds the first setting in which two entities differ.
///
/// The superentity is compared by name. Subentities are not compared: each subentity names its superentity itself, and
/// two models to be merged may add different subentities to the same entity.
enum EntityComparison {
  /// The first setting that differs (`isAbstract`, `property 'age': isOptional`), or `nil` when the
  /// entities are equal.
  static func difference(_ left: NSEntityDescription, _ right: NSEntityDescription) -> String? {
    if left === right { return nil }
    if left.storedName != right.storedName { return "name" }
    let hasRare = left.extras != nil || right.extras != nil
    let fact = EntityFact.allCases.first { fact in
      (hasRare || !fact.isRare) && !fact.isSame(left, right)
    }
    return fact?.traits.name ?? indexesDifference(left, right) ?? propertiesDifference(left, right)
  }

  private static func indexesDifference(
    _ left: NSEntityDescription, _ right: NSEntityDescription
  ) -> String? {
    guard left.indexes.count == right.indexes.count else { return "indexes" }
    let others = Dictionary(
      right.indexes.map { ($0.storedName, $0) }, uniquingKeysWith: { first, _ in first })
    for index in left.indexes {
      guard let other = others[index.storedName], areEqual(index, other) else {
        return "index '\(index.storedName)'"
      }
    }
    return nil
  }

  static func areEqual(
    _ left: NSFetchIndexDescription, _ right: NSFetchIndexDescription
  ) -> Bool {
    left === right
      || left.storedName == right.storedName && FetchIndexFact.difference(left, right) == nil
  }

  static func areEqual(
    _ left: NSFetchIndexElementDescription, _ right: NSFetchIndexElementDescription
  ) -> Bool {
    guard left.propertyName == right.propertyName,
      left.storedCollationType == right.storedCollationType,
      left.storedIsAscending == right.storedIsAscending
    else { return false }
    switch (left.expressionDescription, right.expressionDescription) {
    case (nil, nil): return true
    case (let left?, let right?): return PropertyComparison.difference(left, right) == nil
    default: return false
    }
  }

  private static func propertiesDifference(
    _ left: NSEntityDescription, _ right: NSEntityDescription
  ) -> String? {
    let others = Dictionary(
      right.ownPropertyList.map { ($0.storedName, $0) }, uniquingKeysWith: { first, _ in first })
    for property in left.ownPropertyList {
      guard let other = others[property.storedName] else {
        return "property '\(property.storedName)' is missing"
      }
      if let setting = PropertyComparison.difference(property, other) {
        return "property '\(property.storedName)': \(setting)"
      }
    }
    guard left.ownPropertyList.count != right.ownPropertyList.count else { return nil }
    let names = Set(left.ownPropertyList.map(\.storedName))
    let added = right.ownPropertyList.first { !names.contains($0.storedName) }
    return added.map { "property '\($0.storedName)' is missing" } ?? "properties"
  }
}
