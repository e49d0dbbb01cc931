import Foundation
import PredicateFormat
import PropertyLists

extension ModelEncoder {
  func encode(
    _ request: AnyFetchRequest, into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    if let entity = identity(of: request.entity) {
      assembler.put(ModelKey.entity.id, conditional: entity)
    } else if let name = request.entityName,
      let entity = identity(of: model.entity(named: name)), request.storedEntityName == nil
    {
      assembler.put(ModelKey.entity.id, conditional: entity)
    } else {
      assembler.put(ModelKey.entity.id, leaf: request.entityName.map { assembler.text($0) })
    }
    try put(.predicate, request.predicate, into: &assembler)
    try putSortDescriptors(of: request, into: &assembler)
    assembler.put(ModelKey.fetchLimit.id, int32: request.fetchLimit)
    assembler.put(ModelKey.batchSize.id, int32: request.fetchBatchSize)
    putOptionalList(
      .prefetchKeyPaths,
      request.relationshipKeyPathsForPrefetching?.map { .leaf(assembler.text($0)) },
      into: &assembler)
    try putProperties(.valuesToFetch, request.propertiesToFetch, into: &assembler)
    try put(.havingPredicate, request.havingPredicate, into: &assembler)
    try putProperties(.valuesToGroupBy, request.propertiesToGroupBy, into: &assembler)
    assembler.put(ModelKey.fetchOffset.id, int32: request.fetchOffset)
    assembler.put(
      ModelKey.resultType.id, int64: Int(truncatingIfNeeded: request.storedResultType.rawValue))
    // Compilers that write no stamp predate this key.
    if let allocationType = request.allocationType
      ?? (stamp == nil && form == .compiled ? nil : 0)
    {
      assembler.put(ModelKey.allocationType.id, int64: allocationType)
    }
    if request.allocationSize != 0 {
      assembler.put(ModelKey.allocationSize.id, int64: request.allocationSize)
    }
    assembler.put(ModelKey.hasFetchRequestFlags.id, boolean: true)
    assembler.put(ModelKey.fetchRequestFlags.id, int32: request.fetchFlags.rawValue)
    return putPreserved(
      request.preserved,
      class: assembler.classIndex(
        ArchiveClass("NSFetchRequest", "NSPersistentStoreRequest", "NSObject")),
      into: &assembler)
  }

  private func putSortDescriptors(
    of request: AnyFetchRequest, into assembler: inout Assembler
  ) throws(ArchiveError) {
    guard let descriptors = request.sortDescriptors else {
      return assembler.putNil(ModelKey.sortDescriptors.id)
    }
    var elements: [Element] = []
    for descriptor in descriptors {
      guard let key = descriptor.sortKey else {
        throw ArchiveError(
          .invalidContent,
          "a fetch request sorts by a block or a Swift key path; use a key of text")
      }
      elements.append(.item(.sortDescriptor(key), nil))
    }
    putOptionalList(.sortDescriptors, elements, into: &assembler)
  }

  private func putProperties(
    _ key: ModelKey, _ properties: [Any]?, into assembler: inout Assembler
  ) throws(ArchiveError) {
    guard let properties else { return assembler.putNil(key.id) }
    var elements: [Element] = []
    for property in properties {
      switch property {
      case let name as String: elements.append(.leaf(assembler.text(name)))
      case let property as NSPropertyDescription:
        let entity = property.owner.flatMap { entityPositions[$0] }
        let known = entity.map { _ in identity(of: property, into: &assembler) }
        elements.append(.item(.property(property, entity: entity), known))
      default:
        throw ArchiveError(
          .invalidContent, "a fetch request asks for something that isn't a property: \(property)")
      }
    }
    putOptionalList(key, elements, into: &assembler)
  }

  private func putOptionalList(
    _ key: ModelKey, _ elements: [Element]?, into assembler: inout Assembler
  ) {
    guard let elements else { return assembler.putNil(key.id) }
    putObject(key.id, .array(elements, isMutable: false), into: &assembler)
  }

  func encode(_ sort: SortKey, into assembler: inout Assembler) -> Int {
    assembler.put(ModelKey.sortKey.id, leaf: sort.key.map { assembler.text($0) })
    assembler.put(ModelKey.isAscending.id, boolean: sort.ascending)
    assembler.put(ModelKey.sortSelector.id, leaf: sort.selector.map { assembler.text($0) })
    assembler.put(
      ModelKey.reverseNullOrder.id, boolean: sort.reversesNullOrder ?? false)
    return assembler.classIndex(ArchiveClass("NSSortDescriptor", "NSObject"))
  }
}
