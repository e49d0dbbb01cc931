import Foundation
import PredicateFormat

/// Finds out in which setting two entities differ.
///
/// The superentity is compared by name. Subentities are not compared: they say what they are below
/// of, and two models to be merged may add different ones to the same entity.
enum EntityComparison {
  /// The first setting that differs (`isAbstract`, `property 'age': isOptional`), or `nil` when the
  /// entities are equal.
  static func difference(_ left: NSEntityDescription, _ right: NSEntityDescription) -> String? {
    if left === right { return nil }
    if left.storedName != right.storedName { return "name" }
    if left.managedObjectClassName != right.managedObjectClassName {
      return "managedObjectClassName"
    }
    if left.storedIsAbstract != right.storedIsAbstract { return "isAbstract" }
    if left.storedSuperentity?.name != right.storedSuperentity?.name { return "superentity" }
    return extrasDifference(left, right) ?? propertiesDifference(left, right)
  }

  private static func extrasDifference(
    _ left: NSEntityDescription, _ right: NSEntityDescription
  ) -> String? {
    if left.extras == nil && right.extras == nil { return nil }
    if left.versionHashModifier != right.versionHashModifier { return "versionHashModifier" }
    if left.renamingIdentifier != right.renamingIdentifier { return "renamingIdentifier" }
    if !ValueEquality.areEqual(left.orderedUserInfo, right.orderedUserInfo) { return "userInfo" }
    if left.ownUniquenessConstraints != right.ownUniquenessConstraints {
      return "uniquenessConstraints"
    }
    if left.coreSpotlightDisplayNameExpression != right.coreSpotlightDisplayNameExpression {
      return "coreSpotlightDisplayNameExpression"
    }
    return indexesDifference(left, right)
  }

  /// The older compound indexes count only where there are no fetch indexes, which win over them.
  private static func indexesDifference(
    _ left: NSEntityDescription, _ right: NSEntityDescription
  ) -> String? {
    if left.indexes.isEmpty && right.indexes.isEmpty {
      return left.compoundIndexNames == right.compoundIndexNames ? nil : "compoundIndexes"
    }
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
      || (left.storedName == right.storedName
        && PredicateEquality.areEqual(
          left.storedPartialIndexPredicate, right.storedPartialIndexPredicate)
        && left.storedElements.count == right.storedElements.count
        && zip(left.storedElements, right.storedElements).allSatisfy(areEqual))
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
