import DataModels
import Foundation
import PredicateFormat

extension Fact {
  /// The facts of a fetch request, either a template or that of a fetched property.
  static let fetchRequestFacts: [Fact] = FetchRequestFact.allCases.compactMap(fetchRequestFact)

  private static func fetchRequestFact(_ row: FetchRequestFact) -> Fact? {
    switch row {
    case .entity:
      Fact(
        row, references: .owner,
        read: { $0.entityName.map(ModelValue.entity) ?? .none },
        write: { request, value, editor in
          request.entity = value.entityName.flatMap(editor.knownEntity(named:))
          // A reference without a target is kept by name.
          if request.entity == nil { request.storedEntityName = value.entityName }
        })
    case .predicate: Fact(row, \.predicate, as: .predicate, references: .request)
    case .sortDescriptors:
      Fact(
        row, references: .request,
        read: { request in
          guard let descriptors = request.sortDescriptors, !descriptors.isEmpty else {
            return .none
          }
          return .list(descriptors.map(SortFields.read))
        },
        write: { request, value, _ in
          request.sortDescriptors =
            value == .none ? nil : value.members.compactMap(SortFields.make)
        })
    case .resultType:
      Fact(
        row,
        read: { .integer(Int64(truncatingIfNeeded: $0.resultType.rawValue)) },
        write: { request, value, _ in
          // Setting the type has side effects on the flags, which have facts of their own.
          request.storedResultType = NSFetchRequestResultType(
            rawValue: UInt(truncatingIfNeeded: value.integer ?? 0))
        })
    case .fetchLimit: Fact(row, \.fetchLimit, as: .integer)
    case .fetchOffset: Fact(row, \.fetchOffset, as: .integer)
    case .fetchBatchSize: Fact(row, \.fetchBatchSize, as: .integer)
    case .includesSubentities: Fact(row, \.includesSubentities, as: .flag)
    case .includesPropertyValues: Fact(row, \.includesPropertyValues, as: .flag)
    case .returnsObjectsAsFaults: Fact(row, \.returnsObjectsAsFaults, as: .flag)
    case .includesPendingChanges: Fact(row, \.includesPendingChanges, as: .flag)
    case .returnsDistinctResults: Fact(row, \.returnsDistinctResults, as: .flag)
    case .refreshesRefetchedObjects: Fact(row, \.shouldRefreshRefetchedObjects, as: .flag)
    case .otherFlags: nil
    case .prefetchedKeyPaths:
      Fact(
        row, references: .request,
        read: { request in
          request.relationshipKeyPathsForPrefetching.map { .list($0.map(ModelValue.keyPath)) }
            ?? .none
        },
        write: { request, value, _ in
          request.relationshipKeyPathsForPrefetching =
            value == .none ? nil : value.members.compactMap { $0.plain as? String }
        })
    case .propertiesToFetch:
      Fact(
        row, references: .request,
        read: { FetchRequestFields.properties($0.propertiesToFetch) },
        write: { request, value, _ in
          request.propertiesToFetch = FetchRequestFields.properties(value)
        })
    case .propertiesToGroupBy:
      Fact(
        row, references: .request,
        read: { FetchRequestFields.properties($0.propertiesToGroupBy) },
        write: { request, value, _ in
          request.propertiesToGroupBy = FetchRequestFields.properties(value)
        })
    case .havingPredicate: Fact(row, \.havingPredicate, as: .predicate, references: .request)
    }
  }
}

/// A fetch request as a record of its facts.
enum FetchRequestFields {
  static func read(from request: AnyFetchRequest) -> ModelValue {
    let facts = Fact.fetchRequestFacts.map { ($0.name, $0.read(request)) }
    return .record(Dictionary(facts.filter { $0.1 != .none }) { first, _ in first })
  }

  static func make(
    from value: ModelValue, _ editor: ModelEditor
  ) throws -> NSFetchRequest<NSFetchRequestResult>? {
    guard case .record(let fields) = value else { return nil }
    let request = NSFetchRequest<NSFetchRequestResult>()
    for fact in Fact.fetchRequestFacts {
      try fact.write(
        request, fields[fact.name] ?? (fact.read(request).isFlag ? .flag(false) : .none), editor)
    }
    return request
  }

  /// Properties by name; descriptions created for a request are kept as objects.
  static func properties(_ list: [Any]?) -> ModelValue {
    guard let list else { return .none }
    return .list(
      list.map { item in
        switch item {
        case let name as String: .keyPath(name)
        case let property as NSExpressionDescription:
          .object(ModelObject(property, text: property.name))
        case let property as NSPropertyDescription: .keyPath(property.name)
        default: .object(ModelObject(item))
        }
      })
  }

  static func properties(_ value: ModelValue) -> [Any]? {
    value == .none ? nil : value.members.compactMap(\.plain)
  }
}

/// A sort descriptor as a record; one that can't be archived is kept as an object.
private enum SortFields {
  static func read(from descriptor: NSSortDescriptor) -> ModelValue {
    guard let key = descriptor.sortKey else {
      return .object(ModelObject(descriptor, text: descriptor.description))
    }
    let fields: [String: ModelValue] = [
      "key": key.key.map(ModelValue.keyPath) ?? .none, "ascending": .flag(key.ascending),
      "selector": .optionalText(key.selector),
      "reversesNullOrder": key.reversesNullOrder.map(ModelValue.flag) ?? .none,
    ]
    return .record(fields.filter { $0.value != .none })
  }

  static func make(from value: ModelValue) -> NSSortDescriptor? {
    guard case .record(let fields) = value else { return value.plain as? NSSortDescriptor }
    return NSSortDescriptor(
      SortKey(
        fields["key"]?.plain as? String, ascending: fields["ascending"]?.isTrue ?? true,
        selector: fields["selector"]?.text,
        reversesNullOrder: fields["reversesNullOrder"].map { $0.isTrue }))
  }
}
