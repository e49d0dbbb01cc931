import DataModels
import Foundation
import ManagedObjects
import PredicateFormat

/// Converts constants according to the values they are compared with.
extension ConditionReader {
  /// Converts a constant to a kind that it is compared with.
  ///
  /// - Throws: ``Diagnostic`` when no value of the kind can be equal to it.
  func fitted(_ value: PredicateValue, to kind: ConditionKind) throws -> PredicateValue {
    switch (kind, value) {
    case (_, .null), (_, .nsNull), (.unknown, _), (.nothing, _), (_, .object): return value
    case (.collection(let kind), _): return try fitted(value, to: kind)
    case (.transformed, _), (.record, _):
      throw problem(
        "\(kind.name) can't be compared: only == nil and != nil are possible",
        at: place(.constant(value)))
    case (.text, .string), (.bytes, .data), (.uuid, .uuid), (.url, .url), (.date, .date):
      return value
    case (.number, .integer), (.number, .unsigned), (.number, .double), (.number, .float),
      (.number, .decimal), (.number, .bool), (.flag, .bool), (.number, .date):
      return value
    case (.flag, .integer(let number)) where [0, 1].contains(number): return value
    case (.flag, .integer), (.flag, .double), (.flag, .decimal):
      throw problem("a Boolean is YES or NO, 1 or 0", at: place(.constant(value)))
    case (.date, .integer(let seconds)):
      return .date(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    case (.date, .double(let seconds)):
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.date, .string(let text)):
      guard let date = DateReading.date(text) else {
        throw problem(
          "'\(text)' isn't a date; write 2025-07-30T14:41:00Z, or 2025-07-30", at: text)
      }
      return .date(date)
    case (.uuid, .string(let text)):
      guard let uuid = UUID(uuidString: text) else {
        throw problem("'\(text)' isn't a UUID", at: text)
      }
      return .uuid(uuid)
    case (.url, .string(let text)):
      guard let url = URL(string: text) else { throw problem("'\(text)' isn't a URL", at: text) }
      return .url(url)
    case (.bytes, .string(let text)):
      guard let data = Data(base64Encoded: text) else {
        throw problem("'\(text)' isn't Base64, the format for bytes", at: text)
      }
      return .data(data)
    case (.object(let entity), .string(let text)): return try named(text, entity)
    case (.entity(let entity), .string(let text)):
      return try self.entity(text, beside: entity)
    default:
      throw problem(
        "this is \(ConditionKind(value).name), but is compared with \(kind.name)",
        at: place(.constant(value)))
    }
  }

  /// The object with a name such as `Author/p2`, or a complete URI.
  private func named(_ name: String, _ entity: NSEntityDescription) throws -> PredicateValue {
    let parts = name.split(separator: "/").suffix(2)
    guard parts.count == 2, let first = parts.first, let last = parts.last, last.hasPrefix("p"),
      let key = Int64(last.dropFirst())
    else {
      throw problem(
        "'\(name)' isn't an object's name; write ENTITY/pKEY, such as \(entity.name ?? "")/p1",
        at: name)
    }
    let model = entity.managedObjectModel
    guard let id = try object(String(first), key), let own = model.entitiesByName[String(first)]
    else { throw unknownEntity(String(first), model, at: name) }
    guard own.isKindOf(entity: entity) || entity.isKindOf(entity: own) else {
      throw problem(
        "'\(name)' is an object of \(first), but is compared with one of \(entity.name ?? "")",
        at: name)
    }
    return .object(OpaqueObject(id))
  }

  /// An entity given by name, in the same model as another.
  private func entity(_ name: String, beside known: NSEntityDescription) throws -> PredicateValue {
    let model = known.managedObjectModel
    guard let found = model.entitiesByName[name] else {
      throw unknownEntity(name, model, at: name)
    }
    guard found.isKindOf(entity: known) || known.isKindOf(entity: found) else {
      throw problem("no object of \(known.name ?? "") is one of \(name)", at: name)
    }
    return .object(OpaqueObject(found))
  }

  private func unknownEntity(
    _ name: String, _ model: NSManagedObjectModel, at place: String
  ) -> Diagnostic {
    problem(
      "there is no entity '\(name)'"
        + DidYouMean.text(name, among: model.entities.compactMap(\.name)), at: place)
  }
}
