import DataModels
import Foundation
import PredicateFormat

/// The kind of value of an expression in a condition, as far as the model determines it.
indirect enum ConditionKind {
  case text, number, flag, date, bytes, uuid, url
  /// A value of a transformable attribute, which only the program that wrote it can interpret.
  case transformed
  /// The values of a composite attribute; nil for a JSON object.
  case record(NSCompositeAttributeDescription?)
  case object(NSEntityDescription)
  /// The entity of an object.
  case entity(NSEntityDescription)
  case collection(ConditionKind)
  /// A list that is part of the condition.
  case list
  /// `nil`.
  case nothing
  /// Any value: a computed value whose kind is known only at run time.
  case unknown

  /// The kind, for messages.
  var name: String {
    switch self {
    case .text: "a string"
    case .number: "a number"
    case .flag: "a Boolean"
    case .date: "a date"
    case .bytes: "bytes"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .transformed: "a transformable value"
    case .record: "a composite value"
    case .object(let entity): "an object of \(entity.name ?? "")"
    case .entity: "an entity"
    case .collection(let kind): "several of \(kind.name)"
    case .list: "a list"
    case .nothing: "nil"
    case .unknown: "anything"
    }
  }

  /// The kind of a collection's elements; the kind itself for a single value.
  var element: ConditionKind { if case .collection(let kind) = self { kind } else { self } }

  var isCollection: Bool { if case .collection = self { true } else { false } }

  var isList: Bool { if case .list = self { true } else { false } }

  /// Whether values of this kind are ordered.
  var isOrdered: Bool {
    switch self {
    case .text, .number, .flag, .date, .uuid, .unknown: true
    default: false
    }
  }

  var isNumeric: Bool {
    switch self {
    case .number, .flag, .unknown: true
    default: false
    }
  }

  var isText: Bool {
    switch self {
    case .text, .unknown: true
    default: false
    }
  }

  init(_ value: PredicateValue) {
    self =
      switch value {
      case .string: .text
      case .bool: .flag
      case .integer, .unsigned, .double, .float, .decimal: .number
      case .date: .date
      case .data: .bytes
      case .uuid: .uuid
      case .url: .url
      case .null, .nsNull: .nothing
      case .array, .set, .orderedSet: .list
      case .dictionary: .record(nil)
      case .className, .object: .unknown
      }
  }

  /// Creates the kind of an attribute's values.
  init(_ attribute: NSAttributeDescription) {
    if let composite = attribute as? NSCompositeAttributeDescription {
      self = .record(composite)
      return
    }
    self =
      switch attribute.attributeType {
      case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
        .decimalAttributeType, .doubleAttributeType, .floatAttributeType:
        .number
      case .stringAttributeType: .text
      case .booleanAttributeType: .flag
      case .dateAttributeType: .date
      case .binaryDataAttributeType: .bytes
      case .UUIDAttributeType: .uuid
      case .URIAttributeType: .url
      case .transformableAttributeType: .transformed
      case .undefinedAttributeType, .objectIDAttributeType, .compositeAttributeType: .unknown
      }
  }

  // MARK: Keys of values

  /// The keys that values themselves have, such as `length` of a string, with their kinds.
  var ownKeys: [String: ConditionKind] {
    var keys: [String: ConditionKind]
    switch self {
    case .text:
      keys = [
        "length": .number, "uppercaseString": .text, "lowercaseString": .text,
        "capitalizedString": .text, "intValue": .number, "integerValue": .number,
        "longLongValue": .number, "doubleValue": .number, "floatValue": .number,
        "boolValue": .flag, "lastPathComponent": .text, "pathExtension": .text,
      ]
    case .date:
      keys = ["timeIntervalSinceReferenceDate": .number, "timeIntervalSince1970": .number]
    case .bytes: return ["length": .number]
    case .uuid: keys = ["UUIDString": .text]
    case .url:
      keys = [
        "absoluteString": .text, "path": .text, "host": .text, "scheme": .text,
        "lastPathComponent": .text, "pathExtension": .text,
      ]
    case .number, .flag:
      keys = [
        "intValue": .number, "integerValue": .number, "longLongValue": .number,
        "doubleValue": .number, "floatValue": .number, "boolValue": .flag, "stringValue": .text,
      ]
    default: return [:]
    }
    keys["description"] = .text
    return keys
  }
}
