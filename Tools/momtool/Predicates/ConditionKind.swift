import DataModels
import Foundation
import PredicateFormat

/// What an expression of a condition gives, as far as the model says.
indirect enum ConditionKind {
  case text, number, flag, date, bytes, uuid, url
  /// A value of a transformable attribute, which only the program that wrote it understands.
  case transformed
  /// The values of a composite attribute; nil for those of JSON.
  case record(NSCompositeAttributeDescription?)
  case object(NSEntityDescription)
  /// The entity of an object.
  case entity(NSEntityDescription)
  case collection(ConditionKind)
  /// A list that the condition itself has.
  case list
  /// `nil`.
  case nothing
  /// Anything: what is computed is only known when it is there.
  case unknown

  /// The kind, for messages.
  var name: String {
    switch self {
    case .text: "a text"
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

  /// What the members of several are; itself for one.
  var element: ConditionKind { if case .collection(let kind) = self { kind } else { self } }

  var isCollection: Bool { if case .collection = self { true } else { false } }

  var isList: Bool { if case .list = self { true } else { false } }

  /// Whether of two values one can be the lesser.
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

  /// What the values of an attribute are.
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
      default: .unknown
      }
  }

  // MARK: Keys of values

  /// The keys that a value has itself, such as `length` of a text, and what they give.
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
