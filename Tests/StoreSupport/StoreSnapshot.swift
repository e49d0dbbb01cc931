import DataModels
import Foundation

@_spi(Engines) @testable import ManagedObjects

/// The contents of a store, read through objects, in a form that is easy to compare.
public struct StoreSnapshot: Equatable {
  /// The values of an object: attributes as text; related objects as `Entity/key`, in order if the relationship is
  /// ordered, otherwise sorted.
  public typealias Row = [String: [String]]

  /// The objects of each entity, by key.
  public var entities: [String: [Int64: Row]] = [:]

  /// Reads the store of a model at a URL, without changing it.
  public init(_ url: URL, _ model: NSManagedObjectModel) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [NSReadOnlyPersistentStoreOption: true])
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try self.init(context, model)
    try coordinator.remove(store)
  }

  /// Reads everything a context sees.
  public init(_ context: NSManagedObjectContext, _ model: NSManagedObjectModel) throws {
    for entity in model.entities where !entity.isAbstract {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
      request.includesSubentities = false
      var rows: [Int64: Row] = [:]
      for object in try context.fetch(request) { rows[object.objectID.key] = Self.row(object) }
      entities[entity.name ?? ""] = rows
    }
  }

  /// The number of objects.
  public var count: Int { entities.values.reduce(0) { $0 + $1.count } }

  private static func row(_ object: NSManagedObject) -> Row {
    var row: Row = [:]
    for property in object.layout.values + object.layout.toManys where !property.isTransient {
      if property.isRelationship {
        let names = object.objectIDs(forRelationshipNamed: property.name).map {
          "\($0.entity.name ?? "")/\($0.key)"
        }
        row[property.name] = property.isOrdered ? names : names.sorted()
      } else if case .data(let bytes) = object.storedValue(at: property.slot) {
        // The bytes of a transformable value, because another version may decode them differently.
        row[property.name] = [text(bytes)]
      } else {
        row[property.name] = object.value(forKey: property.name).map { [text($0)] } ?? []
      }
    }
    return row
  }

  private static func text(_ value: Any) -> String {
    switch value {
    case let number as NSNumber: "\(number.doubleValue)"
    case let data as Data: "\(data.count) bytes, \(data.hashValueOfContents)"
    case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
    case let values as [String: Any]:
      values.keys.sorted().map { "\($0)=\(text(values[$0] ?? ""))" }.joined(separator: ";")
    default: "\(value)"
    }
  }
}

extension Data {
  /// A hash of the contents that is the same in every process.
  fileprivate var hashValueOfContents: UInt64 {
    reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
  }
}
