import ManagedModel

/// Writes generated classes in Swift.
enum SwiftClassWriter {
  static func files(for type: GeneratedClass) -> [GeneratedFile] {
    let properties = GeneratedFile(
      name: "\(type.name)+CoreDataProperties.swift", text: propertiesFile(type))
    guard type.isWhole else { return [properties] }
    return [
      GeneratedFile(name: "\(type.name)+CoreDataClass.swift", text: classFile(type)), properties,
    ]
  }

  // MARK: Files

  private static func header(_ file: String) -> String {
    """
    //
    //  \(file)
    //
    //  This file was automatically generated and should not be edited.
    //

    import Foundation
    #if canImport(CoreData)
    import CoreData
    #else
    import MomKit
    #endif

    """
  }

  private static func classFile(_ type: GeneratedClass) -> String {
    """
    \(header("\(type.name)+CoreDataClass.swift"))
    #if canImport(CoreData)
    @objc(\(type.name))
    public class \(type.name): \(type.superclass) {

    }
    #else
    public class \(type.name): \(type.superclass) {

    }
    #endif

    """
  }

  private static func propertiesFile(_ type: GeneratedClass) -> String {
    var text = header("\(type.name)+CoreDataProperties.swift")
    text += """

      extension \(type.name) {

          @nonobjc public class func fetchRequest() -> NSFetchRequest<\(type.name)> {
              return NSFetchRequest<\(type.name)>(entityName: "\(escaped(type.entity))")
          }

      }

      """
    if !type.properties.isEmpty {
      text += """

        #if canImport(CoreData)
        extension \(type.name) {

        \(lines(type.properties.map(managed)))

        }
        #else
        extension \(type.name) {

        \(type.properties.map(accessor).joined(separator: "\n\n"))

        }
        #endif

        """
    }
    for property in type.properties {
      guard case .toMany(let element, let isOrdered) = property.kind else { continue }
      text += SwiftAccessorWriter.accessors(
        for: property, of: element, isOrdered: isOrdered, in: type.name)
    }
    if !type.inheritsFromEntity {
      text += """

        extension \(type.name) : Identifiable {

        }

        """
    }
    return text
  }

  // MARK: Properties

  private static func managed(_ property: GeneratedProperty) -> String {
    "    @NSManaged public var \(CodeNames.swift(property.name)): \(SwiftType(property).declared)"
  }

  private static func accessor(_ property: GeneratedProperty) -> String {
    let type = SwiftType(property)
    let key = "\"\(property.name)\""
    if case .fetched = property.kind {
      return """
            public var \(CodeNames.swift(property.name)): \(type.declared) {
                return \(type.reading("value(forKey: \(key))"))
            }
        """
    }
    return """
          public var \(CodeNames.swift(property.name)): \(type.declared) {
              get { return \(type.reading("value(forKey: \(key))")) }
              set { setValue(newValue, forKey: \(key)) }
          }
      """
  }

  private static func lines(_ lines: [String]) -> String { lines.joined(separator: "\n") }

  /// An entity's name inside a string literal.
  private static func escaped(_ name: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

/// The Swift type of a generated property.
private struct SwiftType {
  /// The type as it is declared.
  let declared: String
  /// How a number is taken out of an `NSNumber`; nil when the value is an object.
  private let scalar: (getter: String, zero: String)?

  init(_ property: GeneratedProperty) {
    switch property.kind {
    case .attribute(let type, let usesScalar, let customClass):
      self.init(type, usesScalar: usesScalar, customClass: customClass)
    case .toOne(let target): self.init("\(target)?")
    case .toMany(_, let isOrdered): self.init(isOrdered ? "NSOrderedSet?" : "NSSet?")
    case .fetched(let target): self.init("[\(target)]?")
    }
  }

  private init(_ declared: String, scalar: (getter: String, zero: String)? = nil) {
    self.declared = declared
    self.scalar = scalar
  }

  private init(_ type: NSAttributeType, usesScalar: Bool, customClass: String?) {
    switch type {
    case .integer16AttributeType where usesScalar: self.init("Int16", scalar: ("int16Value", "0"))
    case .integer32AttributeType where usesScalar: self.init("Int32", scalar: ("int32Value", "0"))
    case .integer64AttributeType where usesScalar: self.init("Int64", scalar: ("int64Value", "0"))
    case .doubleAttributeType where usesScalar: self.init("Double", scalar: ("doubleValue", "0"))
    case .floatAttributeType where usesScalar: self.init("Float", scalar: ("floatValue", "0"))
    case .booleanAttributeType where usesScalar: self.init("Bool", scalar: ("boolValue", "false"))
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
      .doubleAttributeType, .floatAttributeType, .booleanAttributeType:
      self.init("NSNumber?")
    case .decimalAttributeType: self.init("NSDecimalNumber?")
    case .stringAttributeType: self.init("String?")
    case .dateAttributeType: self.init("Date?")
    case .binaryDataAttributeType: self.init("Data?")
    case .UUIDAttributeType: self.init("UUID?")
    case .URIAttributeType: self.init("URL?")
    case .objectIDAttributeType: self.init("NSManagedObjectID?")
    case .compositeAttributeType: self.init("[String: Any]?")
    case .undefinedAttributeType, .transformableAttributeType:
      self.init((customClass.flatMap(CodeNames.swiftType) ?? "NSObject") + "?")
    }
  }

  /// The expression that turns what key-value coding gives into the type.
  func reading(_ value: String) -> String {
    if let scalar { return "(\(value) as? NSNumber)?.\(scalar.getter) ?? \(scalar.zero)" }
    return "\(value) as? \(declared.dropLast())"
  }
}
