import DataModels
import Foundation

extension NSAttributeType {
  /// Whether a value is valid for attributes of this type.
  func takes(_ value: StoredValue) -> Bool {
    switch (columnKind, value) {
    case (.integer(let range), .integer(let number)): range.contains(number)
    case (.boolean, .integer(let number)): number == 0 || number == 1
    case (.real, .real), (.date, .real), (.text, .text), (.bytes, .data),
      (.transformable, .data):
      true
    case (.decimal, .box(let box)): box.value is Decimal
    case (.uuid, .box(let box)): box.value is UUID
    case (.url, .box(let box)): box.value is URL
    default: false
    }
  }
}

extension NSAttributeDescription {
  /// An element's value in a composite's dictionary; for a transformable element, its transformer's result.
  func value(of value: StoredValue) -> Any? {
    if case .data(let data) = value, attributeType == .transformableAttributeType {
      return AttributeTransformer.value(of: data, for: self) ?? UntransformedBytes(data: data)
    }
    return AttributeCodec.object(value, type: attributeType)
  }
}
