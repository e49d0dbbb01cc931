import Foundation
import PredicateFormat
import PropertyLists

extension ModelDecoder {
  private static let requestDepthLimit = 8

  /// Decodes a fetch request from an object.
  func fetchRequest(_ number: Int) throws(ArchiveError) -> NSFetchRequest<NSFetchRequestResult> {
    try spend(on: number)
    // A request may fetch a fetched property, which in turn has a request.
    requestDepth += 1
    defer { requestDepth -= 1 }
    guard requestDepth <= Self.requestDepthLimit else {
      throw ArchiveError(
        .limitExceeded, "fetch requests nest more than \(Self.requestDepthLimit) deep",
        object: number)
    }
    let type = try reader.type(of: number, .fetchRequest)
    guard type.kind == .fetchRequest else {
      throw ArchiveError(
        .typeMismatch, "expected a fetch request, found \(described(type).name)", object: number)
    }
    let request = NSFetchRequest<NSFetchRequestResult>()
    var unknown: [PreservedContent.Field] = []
    try reader.forEachField(of: number) { field throws(ArchiveError) in
      switch field.key {
      case .entity:
        guard let target = try reader.reference(field, of: number) else { return }
        if let name = try reader.string(at: target) {
          request.storedEntityName = name
        } else {
          request.setEntity(try entity(target, of: number, key: .entity))
        }
      case .predicate:
        guard let target = try reader.reference(field, of: number) else { return }
        request.predicate = try predicate(target)
      case .havingPredicate:
        guard let target = try reader.reference(field, of: number) else { return }
        request.havingPredicate = try predicate(target)
      case .sortDescriptors:
        guard let list = try reader.reference(field, of: number) else { return }
        var descriptors: [NSSortDescriptor] = []
        for member in try reader.members(ofCollection: list, .sortDescriptors) {
          descriptors.append(try sortDescriptor(member))
        }
        request.sortDescriptors = descriptors
      case .fetchLimit: request.fetchLimit = try reader.integer(field, of: number)
      case .fetchOffset: request.fetchOffset = try reader.integer(field, of: number)
      case .batchSize: request.fetchBatchSize = try reader.integer(field, of: number)
      case .prefetchKeyPaths:
        request.relationshipKeyPathsForPrefetching = try keyPaths(field, of: number)
      case .valuesToFetch:
        request.propertiesToFetch = try requestProperties(field, of: number)
      case .valuesToGroupBy:
        request.propertiesToGroupBy = try requestProperties(field, of: number)
      case .resultType:
        let value = try reader.integer(field, of: number)
        request.storedResultType = NSFetchRequestResultType(
          rawValue: UInt(truncatingIfNeeded: value))
      case .allocationType: request.allocationType = try reader.integer(field, of: number)
      case .allocationSize: request.allocationSize = try reader.integer(field, of: number)
      case .hasFetchRequestFlags: break
      case .fetchRequestFlags:
        request.fetchFlags = FetchRequestFlags(rawValue: try reader.integer(field, of: number))
      default: unknown.append(unknownField(field))
      }
    }
    request.preserved = preserved(unknown, type)
    return request
  }

  private func keyPaths(
    _ field: ArchiveFieldReader.Field, of number: Int
  ) throws(ArchiveError) -> [String]? {
    guard let list = try reader.reference(field, of: number) else { return nil }
    var paths: [String] = []
    for member in try reader.members(ofCollection: list, .prefetchKeyPaths) {
      guard let path = try reader.string(at: member) else {
        throw ArchiveError(
          .typeMismatch, "expected text", object: member, key: ModelKey.prefetchKeyPaths.text)
      }
      paths.append(path)
    }
    return paths
  }

  /// The values that a request fetches or groups by: names, properties of entities, or expressions.
  private func requestProperties(
    _ field: ArchiveFieldReader.Field, of number: Int
  ) throws(ArchiveError) -> [Any]? {
    guard let list = try reader.reference(field, of: number) else { return nil }
    var properties: [Any] = []
    for member in try reader.members(ofCollection: list, field.key ?? .valuesToFetch) {
      if let name = try reader.string(at: member) {
        properties.append(name)
      } else if let known = instances.property(member) {
        properties.append(known)
      } else {
        try spend(on: member)
        properties.append(try property(member))
      }
    }
    return properties
  }

  private func sortDescriptor(_ number: Int) throws(ArchiveError) -> NSSortDescriptor {
    guard try reader.type(of: number, .sortDescriptors).kind == .sortDescriptor else {
      throw ArchiveError(
        .typeMismatch, "expected a sort descriptor", object: number,
        key: ModelKey.sortDescriptors.text)
    }
    var sort = SortKey(nil, selector: nil)
    try reader.forEachField(of: number) { field throws(ArchiveError) in
      switch field.key {
      case .sortKey: sort.key = try reader.string(field, of: number)
      case .isAscending: sort.ascending = try reader.boolean(field, of: number)
      case .sortSelector: sort.selector = try reader.string(field, of: number)
      case .reverseNullOrder:
        // The key is always present, even if the order isn't reversed.
        sort.reversesNullOrder = try reader.boolean(field, of: number) ? true : nil
      default: break
      }
    }
    return NSSortDescriptor(sort)
  }

  /// Decodes a fetch index from an object.
  func fetchIndex(
    _ number: Int, of entity: Int
  ) throws(ArchiveError) -> NSFetchIndexDescription {
    let type = try reader.type(of: number, .fetchIndexes)
    guard type.kind == .fetchIndex else {
      throw ArchiveError(
        .typeMismatch, "expected a fetch index, found \(described(type).name)", object: number)
    }
    var name: String?
    var elements: [NSFetchIndexElementDescription] = []
    var partialIndexPredicate: NSPredicate?
    var isSynthesized = true
    var unknown: [PreservedContent.Field] = []
    try reader.forEachField(of: number) { field throws(ArchiveError) in
      switch field.key {
      case .indexName: name = try reader.string(field, of: number)
      case .indexElements:
        guard let list = try reader.reference(field, of: number) else { return }
        for member in try reader.members(ofCollection: list, .indexElements) {
          elements.append(try fetchIndexElement(member, of: number))
        }
      case .entity:
        guard let owner = try reader.reference(field, of: number) else { return }
        isSynthesized = false
        guard owner == entity else {
          throw ArchiveError(
            .invalidContent, "the index belongs to object \(owner), but object \(entity) lists it",
            object: number, key: ModelKey.entity.text)
        }
      case .partialIndexPredicate:
        guard let target = try reader.reference(field, of: number) else { return }
        partialIndexPredicate = try predicate(target)
      default: unknown.append(unknownField(field))
      }
    }
    guard let name else {
      throw ArchiveError(
        .valueNotFound, "the index has no name", object: number, key: ModelKey.indexName.text)
    }
    let index = NSFetchIndexDescription(name: name, elements: elements)
    index.storedPartialIndexPredicate = partialIndexPredicate
    index.isSynthesized = isSynthesized
    index.preserved = preserved(unknown, type)
    return index
  }

  private func fetchIndexElement(
    _ number: Int, of index: Int
  ) throws(ArchiveError) -> NSFetchIndexElementDescription {
    let type = try reader.type(of: number, .indexElements)
    guard type.kind == .fetchIndexElement else {
      throw ArchiveError(
        .typeMismatch, "expected an index element, found \(described(type).name)", object: number)
    }
    var name: String?
    var expression: NSExpressionDescription?
    var collation = NSFetchIndexElementType.binary
    var isAscending = true
    var unknown: [PreservedContent.Field] = []
    try reader.forEachField(of: number) { field throws(ArchiveError) in
      switch field.key {
      case .propertyName: name = try reader.string(field, of: number)
      case .indexedProperty:
        guard let target = try reader.reference(field, of: number) else { return }
        try spend(on: target)
        expression = try property(target) as? NSExpressionDescription
      case .indexElementType:
        let value = try reader.integer(field, of: number)
        guard let type = UInt(exactly: value).flatMap(NSFetchIndexElementType.init) else {
          throw ArchiveError(
            .invalidContent, "\(value) isn't an index element type", object: number,
            key: ModelKey.indexElementType.text)
        }
        collation = type
      case .index:
        if let owner = try reader.reference(field, of: number), owner != index {
          throw ArchiveError(
            .invalidContent, "the element belongs to object \(owner), but object \(index) lists it",
            object: number, key: ModelKey.index.text)
        }
      case .isAscending: isAscending = try reader.boolean(field, of: number)
      default: unknown.append(unknownField(field))
      }
    }
    let element = NSFetchIndexElementDescription(
      propertyName: name, expression: expression, collationType: collation,
      isAscending: isAscending)
    element.preserved = preserved(unknown, type)
    return element
  }
}
