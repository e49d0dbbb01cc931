import Foundation
import MomKit
import SharedModel

/// What a client asks to save, checked as far as that is possible without the database.
struct SavePlan: Sendable {
  /// New values of one object.
  struct Change: Sendable {
    let entity: SharedEntity
    let id: UUID
    let version: Int64
    let isNew: Bool
    let values: [String: WireValue]
    /// The identifiers of related objects, by relationship.
    let related: [String: [UUID]]
  }

  struct Deletion: Sendable {
    let entity: SharedEntity
    let id: UUID
    let version: Int64
  }

  let client: String
  let push: UUID
  private(set) var changes: [Change] = []
  private(set) var deletions: [Deletion] = []

  init(_ question: SaveQuestion) throws {
    (client, push) = (question.client, question.push)
    guard (1...100).contains(client.utf8.count), client.utf8.allSatisfy({ (33...126).contains($0) })
    else { throw Refusal.malformed("A client's name is 1 to 100 visible ASCII characters.") }
    let inserted = question.inserted ?? []
    let updated = question.updated ?? []
    let deleted = question.deleted ?? []
    guard inserted.count + updated.count + deleted.count <= Limits.objects else {
      throw Refusal(413, "A save has at most \(Limits.objects) objects.")
    }
    for state in inserted { changes.append(try Self.change(state, isNew: true)) }
    for state in updated { changes.append(try Self.change(state, isNew: false)) }
    for reference in deleted {
      deletions.append(
        Deletion(
          entity: try SharingService.entity(reference.entity), id: reference.id,
          version: reference.version))
    }
    let all = changes.map(\.id) + deletions.map(\.id)
    guard Set(all).count == all.count else {
      throw Refusal.malformed("A save names each object once.")
    }
  }

  private static func change(_ state: ObjectState, isNew: Bool) throws -> Change {
    let entity = try SharingService.entity(state.entity)
    var related: [String: [UUID]] = [:]
    for (name, value) in state.values {
      do {
        if let attribute = entity.attributes[name] {
          _ = try value.value(attribute.attributeType)
        } else if let relationship = entity.relationships[name] {
          let identifiers = try value.identifiers(relationship)
          guard identifiers.count <= Limits.members else {
            throw Refusal(413, "A relationship has at most \(Limits.members) objects.")
          }
          related[name] = identifiers
        } else {
          throw Refusal.malformed("\(entity.name) has no property \(name.prefix(100)) to save.")
        }
      } catch let error as WireValue.Mismatch {
        throw Refusal.malformed("\(entity.name) \(state.id): \(name) \(error.text).")
      }
    }
    return Change(
      entity: entity, id: state.id, version: state.version, isNew: isNew, values: state.values,
      related: related)
  }

  /// The identifiers that the plan names, by entity: those of its objects and of the objects that these refer to.
  var identifiers: [String: Set<UUID>] {
    var all: [String: Set<UUID>] = [:]
    for change in changes {
      all[change.entity.name, default: []].insert(change.id)
      for (name, identifiers) in change.related {
        guard let other = change.entity.relationships[name]?.destinationEntity?.name else {
          continue
        }
        all[other, default: []].formUnion(identifiers)
      }
    }
    for deletion in deletions { all[deletion.entity.name, default: []].insert(deletion.id) }
    return all
  }
}
