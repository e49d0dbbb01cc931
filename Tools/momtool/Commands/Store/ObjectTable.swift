import ArgumentParser
import DataModels
import Foundation
import ManagedObjects

/// Objects as rows of texts and JSON values: the columns and the values that an export of the store
/// has too.
struct ObjectTable {
  enum Format: String, ExpressibleByArgument, CaseIterable { case table, json, jsonl, csv }

  private let properties: [NSPropertyDescription]
  private let objects: [NSManagedObject]

  init(_ objects: [NSManagedObject], of entity: NSEntityDescription) {
    self.objects = objects
    properties = entity.propertiesByName.values.filter { property in
      !property.isTransient
        && (property is NSAttributeDescription || property is NSRelationshipDescription)
    }.sorted { NameOrder.precedes($0.name, $1.name) }
  }

  func text(_ format: Format) -> String {
    switch format {
    case .table: TextRows.aligned(rows { Self.cell($0.cell ?? "") })
    case .csv: rows { $0.cell ?? "" }.map(TextRows.csv).joined()
    case .jsonl: objects.map { json($0) + "\n" }.joined()
    case .json:
      objects.isEmpty
        ? "[]\n" : "[\n" + objects.map { "  " + json($0) }.joined(separator: ",\n") + "\n]\n"
    }
  }

  // MARK: Forms

  /// The names of the columns, and a row for each object.
  private func rows(_ text: (ListedValue) -> String) -> [[String]] {
    [["object"] + properties.map(\.name)]
      + objects.map { object in
        [Self.name(of: object)] + properties.map { text(Self.value(of: $0, in: object)) }
      }
  }

  private func json(_ object: NSManagedObject) -> String {
    let fields = properties.map { (name: $0.name, value: Self.value(of: $0, in: object)) }
    return ListedValue.record([(name: "@object", value: .text(Self.name(of: object)))] + fields)
      .json
  }

  /// A text in one line of limited length.
  private static func cell(_ text: String) -> String {
    let line = text.replacing("\n", with: "⏎")
    return line.count > 40 ? line.prefix(39) + "…" : line
  }

  // MARK: Values

  /// `Person/p1`, the end of the object's URL.
  private static func name(of object: NSManagedObject) -> String {
    object.objectID.uriRepresentation().pathComponents.suffix(2).joined(separator: "/")
  }

  private static func value(
    of property: NSPropertyDescription, in object: NSManagedObject
  ) -> ListedValue {
    let value = object.value(forKey: property.name)
    guard let attribute = property as? NSAttributeDescription else {
      return members(of: value, isOrdered: (property as? NSRelationshipDescription)?.isOrdered)
    }
    return listed(value, attribute)
  }

  private static func members(of value: Any?, isOrdered: Bool?) -> ListedValue {
    switch value {
    case let object as NSManagedObject: return .text(name(of: object))
    case let set as NSOrderedSet:
      return .list(set.array.compactMap { $0 as? NSManagedObject }.map { .text(name(of: $0)) })
    case let set as Set<NSManagedObject>:
      // In the order of their keys, which is that of an export.
      let names = set.map(name(of:)).sorted { (key(in: $0), $0) < (key(in: $1), $1) }
      return .list(names.map { .text($0) })
    default: return .null
    }
  }

  private static func key(in name: String) -> Int64 {
    name.lastIndex(of: "p").flatMap { Int64(name[name.index(after: $0)...]) } ?? 0
  }

  private static func listed(_ value: Any?, _ attribute: NSAttributeDescription) -> ListedValue {
    if let composite = attribute as? NSCompositeAttributeDescription {
      let fields = value as? [String: Any] ?? [:]
      return .record(
        composite.elements.map { (name: $0.name, value: listed(fields[$0.name], $0)) })
    }
    switch value {
    case nil: return .null
    case let date as Date: return .date(date.timeIntervalSinceReferenceDate)
    case let data as Data: return .bytes(data)
    case let text as String: return .text(text)
    case let uuid as UUID: return .text(uuid.uuidString)
    case let url as URL: return .text(url.absoluteString)
    case let number as NSNumber: return listed(number, attribute.attributeType)
    case let value?: return .text("\(value)")
    }
  }

  /// A number as SQLite keeps it for an attribute of its type.
  private static func listed(_ number: NSNumber, _ type: NSAttributeType) -> ListedValue {
    switch type {
    case .booleanAttributeType: .flag(number.boolValue)
    case .doubleAttributeType, .floatAttributeType: .real(number.doubleValue)
    case .decimalAttributeType:
      // By its digits: a decimal number's own conversion is a few units off.
      Int64("\(number)").map { .integer($0) } ?? .real(Double("\(number)") ?? number.doubleValue)
    default: .integer(number.int64Value)
    }
  }
}
