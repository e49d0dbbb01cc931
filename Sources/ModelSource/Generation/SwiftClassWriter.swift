import DataModels

/// Writes generated classes in Swift.
enum SwiftClassWriter {
  static func files(for type: GeneratedClass, _ names: SwiftNames) -> [GeneratedFile] {
    let properties = GeneratedFile(
      name: "\(type.name)+CoreDataProperties.swift", text: propertiesFile(type, names))
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
    //  \(GeneratedFile.mark)
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
    let declaration =
      "public class \(CodeNames.swift(type.name)): \(CodeNames.swift(type.superclass))"
    return """
      \(header("\(type.name)+CoreDataClass.swift"))
      #if canImport(ObjectiveC)
      @objc(\(type.name))
      \(declaration) {

      }
      #else
      \(declaration) {

      }
      #endif

      """
  }

  private static func propertiesFile(_ type: GeneratedClass, _ names: SwiftNames) -> String {
    let name = CodeNames.swift(type.name)
    var text = header("\(type.name)+CoreDataProperties.swift")
    text += """

      extension \(name) {

          @nonobjc public class func fetchRequest() -> NSFetchRequest<\(name)> {
              return \(names.fetchRequest(of: name))(entityName: \(CodeNames.literal(type.entity)))
          }

      }

      """
    if !type.properties.isEmpty {
      text += """

        #if canImport(ObjectiveC)
        extension \(name) {

        \(lines(type.properties.map { managed($0, names) }))

        }
        #else
        extension \(name) {

        \(type.properties.map { accessor($0, names) }.joined(separator: "\n\n"))

        }
        #endif

        """
    }
    for property in type.properties where property.hasMemberMethods {
      guard case .toMany(let element, let isOrdered) = property.kind else { continue }
      text += SwiftAccessorWriter(names).accessors(
        for: property, of: CodeNames.swift(element), isOrdered: isOrdered, in: name)
    }
    if !type.inheritsFromEntity {
      text += """

        extension \(name) : \(names.type("Identifiable")) {

        }

        """
    }
    return text
  }

  // MARK: Properties

  private static func managed(_ property: GeneratedProperty, _ names: SwiftNames) -> String {
    let type = SwiftType(property, names).declared
    return "    @NSManaged public var \(CodeNames.swift(property.name)): \(type)"
  }

  private static func accessor(_ property: GeneratedProperty, _ names: SwiftNames) -> String {
    let type = SwiftType(property, names)
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
