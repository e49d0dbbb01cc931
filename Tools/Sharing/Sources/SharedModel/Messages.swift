import Foundation

/// An object, or some of its properties, as it travels.
package struct ObjectState: Codable, Hashable, Sendable {
  package var entity: String
  package var id: UUID
  /// The server's revision on which the values are based; 0 in an object that the server doesn't know.
  package var version: Int64
  package var values: [String: WireValue]

  package init(entity: String, id: UUID, version: Int64, values: [String: WireValue]) {
    (self.entity, self.id, self.version, self.values) = (entity, id, version, values)
  }

  /// About how many bytes the object takes in JSON.
  package var size: Int { values.reduce(120) { $0 + $1.key.utf8.count + 4 + $1.value.size } }
}

/// An object that is deleted.
package struct ObjectReference: Codable, Hashable, Sendable {
  package var entity: String
  package var id: UUID
  package var version: Int64

  package init(entity: String, id: UUID, version: Int64) {
    (self.entity, self.id, self.version) = (entity, id, version)
  }
}

/// The body of `POST /fetch`.
package struct FetchQuestion: Codable, Sendable {
  package struct Order: Codable, Sendable {
    package var key: String
    package var ascending: Bool?

    package init(key: String, ascending: Bool? = nil) {
      (self.key, self.ascending) = (key, ascending)
    }
  }

  package var entity: String
  /// A predicate format. Values belong into ``arguments``, in the order of its `%@`.
  package var predicate: String?
  package var arguments: [WireValue]?
  package var sort: [Order]?
  package var limit: Int?

  package init(
    entity: String, predicate: String? = nil, arguments: [WireValue]? = nil, sort: [Order]? = nil,
    limit: Int? = nil
  ) {
    (self.entity, self.predicate, self.arguments) = (entity, predicate, arguments)
    (self.sort, self.limit) = (sort, limit)
  }
}

package struct FetchAnswer: Codable, Sendable {
  package var objects: [ObjectState]
  /// Whether there are more objects than were asked for, or than fit.
  package var more: Bool

  package init(objects: [ObjectState], more: Bool) { (self.objects, self.more) = (objects, more) }
}

/// The body of `POST /save`.
package struct SaveQuestion: Codable, Sendable {
  /// The author of the change in the server's history.
  package var client: String
  /// Identifies this save in the server's history, where a client that got no answer finds it.
  package var push: UUID
  package var inserted: [ObjectState]?
  /// Objects with the properties that changed.
  package var updated: [ObjectState]?
  package var deleted: [ObjectReference]?

  package init(
    client: String, push: UUID, inserted: [ObjectState] = [], updated: [ObjectState] = [],
    deleted: [ObjectReference] = []
  ) {
    (self.client, self.push) = (client, push)
    (self.inserted, self.updated, self.deleted) = (inserted, updated, deleted)
  }
}

/// The objects as they are now.
package struct SaveAnswer: Codable, Sendable {
  package var saved: [ObjectState]

  package init(saved: [ObjectState]) { self.saved = saved }
}

/// The answer of `GET /changes`.
package struct ChangesAnswer: Codable, Sendable {
  package enum Kind: String, Codable, Sendable { case inserted, updated, deleted }

  package struct Change: Codable, Sendable {
    package var kind: Kind
    package var entity: String
    package var id: UUID
    /// The client that changed the object last.
    package var author: String?
    /// The object as it is now; nil if it was deleted.
    package var object: ObjectState?

    package init(kind: Kind, entity: String, id: UUID, author: String?, object: ObjectState?) {
      (self.kind, self.entity, self.id, self.author) = (kind, entity, id, author)
      self.object = object
    }
  }

  /// A save that the changes come from.
  package struct Push: Codable, Hashable, Sendable {
    package var client: String
    package var push: UUID

    package init(client: String, push: UUID) { (self.client, self.push) = (client, push) }
  }

  /// Where the next question continues.
  package var token: String
  /// Whether there are changes after the token.
  package var more: Bool
  package var pushes: [Push]
  package var changes: [Change]

  package init(token: String, more: Bool, pushes: [Push], changes: [Change]) {
    (self.token, self.more, self.pushes, self.changes) = (token, more, pushes, changes)
  }
}

/// The body of every answer that isn't one of success.
package struct ErrorAnswer: Codable, Error, Sendable {
  /// An object for which the client's version isn't the server's.
  package struct Conflict: Codable, Sendable {
    package var entity: String
    package var id: UUID
    /// The object as it is now; nil if it doesn't exist.
    package var object: ObjectState?

    package init(entity: String, id: UUID, object: ObjectState?) {
      (self.entity, self.id, self.object) = (entity, id, object)
    }
  }

  /// Core Data's code, such as 133020 for conflicts, or 0 if it has none for this.
  package var code: Int
  package var message: String
  package var conflicts: [Conflict]?

  package init(code: Int, message: String, conflicts: [Conflict]? = nil) {
    (self.code, self.message, self.conflicts) = (code, message, conflicts)
  }
}
