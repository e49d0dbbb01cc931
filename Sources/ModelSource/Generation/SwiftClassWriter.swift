import DataModels

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
    #if canImport(ObjectiveC)
    import CoreData
    #else
    import MomKit
    #endif

    """
  }

  private static func classFile(_ type: GeneratedClass) -> String {
    """
    \(header("\(type.name)+CoreDataClass.swift"))
    #if canImport(ObjectiveC)
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
              return NSFetchRequest<\(type.name)>(entityName: \(CodeNames.literal(type.entity)))
          }

      }

      """
    if !type.properties.isEmpty {
      text += """

        #if canImport(ObjectiveC)
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
    let name = "    public var \(CodeNames.swift(property.name)): \(type.declared) {"
    guard let writing = type.writing(property) else {
      return "\(name)\n        return \(type.reading(property.name))\n    }"
    }
    return """
      \(name)
              get { return \(type.reading(property.name)) }
              set { \(writing) }
          }
      """
  }

  private static func lines(_ lines: [String]) -> String { lines.joined(separator: "\n") }
}
