/// A column of a Parquet file.
package struct ParquetColumn: Hashable, Sendable {
  /// How many values a row has.
  package enum Count: Hashable, Sendable {
    case one
    case oneOrNone
    /// A list, which may be empty, but isn't missing.
    case list
  }

  package let name: String
  package let type: ParquetType
  package let count: Count

  package init(_ name: String, _ type: ParquetType, count: Count = .oneOrNone) {
    self.name = name
    self.type = type
    self.count = count
  }
}

extension ParquetColumn {
  /// The definition level of a value: that of a place without value is 0.
  var definitionLevel: UInt8 { count == .one ? 0 : 1 }

  /// The repetition level of the members of a list after its first.
  var repetitionLevel: UInt8 { count == .list ? 1 : 0 }

  /// The names that lead to the values. Those within lists are fixed by the format.
  var path: [String] { count == .list ? [name, "list", "element"] : [name] }

  /// The elements of the file's schema for the column: of a list its three levels.
  var schemaElements: [[UInt8]] {
    guard count == .list else {
      return [element(name, repetition: count == .one ? .required : .optional)]
    }
    return [
      ThriftWriter.structure {
        $0.field(3, Repetition.required.rawValue)
        $0.field(4, name)
        $0.field(5, Int32(1))
        $0.field(6, Int32(3))
        $0.field(10, case: 3)
      },
      ThriftWriter.structure {
        $0.field(3, Repetition.repeated.rawValue)
        $0.field(4, "list")
        $0.field(5, Int32(1))
      },
      element("element", repetition: .required),
    ]
  }

  private enum Repetition: Int32 {
    case required = 0
    case optional = 1
    case repeated = 2
  }

  private func element(_ name: String, repetition: Repetition) -> [UInt8] {
    ThriftWriter.structure { element in
      element.field(1, type.physical.rawValue)
      if type.physical == .fixedLengthByteArray { element.field(2, Int32(16)) }
      element.field(3, repetition.rawValue)
      element.field(4, name)
      if let number = type.convertedType { element.field(6, number) }
      if case .decimal(let precision, let scale) = type {
        element.field(7, Int32(scale))
        element.field(8, Int32(precision))
      }
      type.writeLogicalType(to: &element)
    }
  }
}

extension ParquetType {
  /// The older number of what a type stands for, for readers that know no logical types.
  fileprivate var convertedType: Int32? {
    switch self {
    case .text: 0
    case .decimal: 5
    case .timestamp(.microseconds): 10
    case .integer(let bits): [8: 15, 16: 16, 32: 17, 64: 18][bits]
    case .json: 19
    case .boolean, .float, .double, .timestamp(.nanoseconds), .uuid, .bytes: nil
    }
  }

  fileprivate func writeLogicalType(to element: inout ThriftWriter) {
    switch self {
    case .boolean, .float, .double, .bytes: break
    case .text: element.field(10, case: 1)
    case .json: element.field(10, case: 12)
    case .uuid: element.field(10, case: 14)
    case .decimal(let precision, let scale):
      element.field(10) { type in
        type.field(5) {
          $0.field(1, Int32(scale))
          $0.field(2, Int32(precision))
        }
      }
    case .timestamp(let unit):
      element.field(10) { type in
        type.field(8) {
          $0.field(1, true)
          $0.field(2, case: unit == .microseconds ? 2 : 3)
        }
      }
    case .integer(let bits):
      element.field(10) { type in
        type.field(10) {
          $0.field(1, Int8(bits))
          $0.field(2, true)
        }
      }
    }
  }
}
