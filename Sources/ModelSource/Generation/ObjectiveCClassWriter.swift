import DataModels

/// Writes generated classes in Objective-C.
enum ObjectiveCClassWriter {
  static func files(for type: GeneratedClass) -> [GeneratedFile] {
    let name = type.name
    let properties = [
      GeneratedFile(name: "\(name)+CoreDataProperties.h", text: propertiesHeader(type)),
      GeneratedFile(name: "\(name)+CoreDataProperties.m", text: propertiesImplementation(type)),
    ]
    guard type.isWhole else { return properties }
    return [
      GeneratedFile(name: "\(name)+CoreDataClass.h", text: classHeader(type)),
      GeneratedFile(name: "\(name)+CoreDataClass.m", text: classImplementation(type)),
    ] + properties
  }

  /// The files that import all classes of a model.
  static func files(forModel name: String, classes: [GeneratedClass]) -> [GeneratedFile] {
    let file = "\(name)+CoreDataModel"
    let imports = classes.map {
      "#import \"\(headerName(of: $0.name, isWhole: $0.isWhole))\"\n"
    }.joined()
    return [
      GeneratedFile(
        name: "\(file).h",
        text: """
          \(header("\(file).h"))
          #import <Foundation/Foundation.h>
          #import <CoreData/CoreData.h>

          \(imports)
          """),
      GeneratedFile(
        name: "\(file).m", text: "\(header("\(file).m"))\n#import \"\(file).h\"\n"),
    ]
  }

  private static func header(_ file: String) -> String {
    """
    //
    //  \(file)
    //
    //  \(GeneratedFile.mark)
    //

    """
  }

  /// The header of a class: the developer's own unless the class itself is generated.
  private static func headerName(of name: String, isWhole: Bool) -> String {
    isWhole ? "\(name)+CoreDataClass.h" : "\(name).h"
  }

  // MARK: The class

  private static func classHeader(_ type: GeneratedClass) -> String {
    let forward = forwardDeclaration(
      of: Set(type.properties.flatMap(classNames)).subtracting([
        type.name, "NSManagedObject", type.superclass,
      ]))
    let parent =
      type.inheritsFromEntity
      ? "#import \"\(headerName(of: type.superclass, isWhole: type.isSuperclassWhole))\"\n" : ""
    return """
      \(header(headerName(of: type.name, isWhole: true)))
      #import <Foundation/Foundation.h>
      #import <CoreData/CoreData.h>
      \(parent)\(forward)
      NS_ASSUME_NONNULL_BEGIN

      @interface \(type.name) : \(type.superclass)

      @end

      NS_ASSUME_NONNULL_END

      #import "\(type.name)+CoreDataProperties.h"

      """
  }

  private static func classImplementation(_ type: GeneratedClass) -> String {
    """
    \(header("\(type.name)+CoreDataClass.m"))
    #import "\(type.name)+CoreDataClass.h"

    @implementation \(type.name)

    @end

    """
  }

  private static func forwardDeclaration(of classes: Set<String>) -> String {
    classes.isEmpty ? "" : "\n@class \(classes.sorted().joined(separator: ", "));\n"
  }

  /// The classes of a property's type that no header of Foundation or Core Data declares.
  private static func classNames(of property: GeneratedProperty) -> [String] {
    switch property.kind {
    case .attribute(let type, _, let customClass): customClassNames(type, customClass)
    case .toOne(let name), .toMany(let name, _), .fetched(let name): [name]
    }
  }

  /// The classes that a transformable attribute's type names: the type itself, and those to which pointers are in brackets.
  /// What else is there may be a protocol or the name of another type. A generic class of the program's own can't be declared
  /// here.
  private static func customClassNames(
    _ type: NSAttributeType, _ customClass: String?
  ) -> [String] {
    guard type.traits.valueClassName == nil,
      let text = customClass.flatMap(CodeNames.objectiveCType)
    else { return [] }
    let parts = text.split(omittingEmptySubsequences: false) { "<>,".contains($0) }
    let whole = parts.count == 1 ? parts.first?.split { " *".contains($0) }.first : nil
    let inner = parts.dropFirst().filter { $0.contains("*") }
      .compactMap { $0.split { " *".contains($0) }.last }
    return ([whole].compactMap(\.self) + inner).map(String.init).filter {
      !$0.hasPrefix("NS") && !["id", "Class", "__kindof"].contains($0)
    }
  }

  // MARK: The properties

  private static func propertiesHeader(_ type: GeneratedClass) -> String {
    let name = type.name
    let declarations = type.properties.map(declaration).joined(separator: "\n")
    // The header that is imported declares them unless the developer has written it.
    let customClasses = type.properties.flatMap { property -> [String] in
      guard !type.isWhole, case .attribute(let type, _, let customClass) = property.kind else {
        return []
      }
      return customClassNames(type, customClass)
    }
    var text = """
      \(header("\(name)+CoreDataProperties.h"))
      #import "\(headerName(of: name, isWhole: type.isWhole))"
      \(forwardDeclaration(of: Set(customClasses)))
      NS_ASSUME_NONNULL_BEGIN

      @interface \(name) (CoreDataProperties)

      + (NSFetchRequest<\(name) *> *)fetchRequest NS_SWIFT_NAME(fetchRequest());

      \(declarations)

      @end

      """
    let accessors = type.properties.compactMap(accessors)
    if !accessors.isEmpty {
      text += """

        @interface \(name) (CoreDataGeneratedAccessors)

        \(accessors.joined(separator: "\n\n"))

        @end

        """
    }
    return text + "\nNS_ASSUME_NONNULL_END\n"
  }

  private static func propertiesImplementation(_ type: GeneratedClass) -> String {
    let entity = type.entity.replacing(scalar: "\\", with: "\\\\")
      .replacing(scalar: "\"", with: "\\\"")
      .replacing(scalar: "\r", with: "\\r").replacing(scalar: "\n", with: "\\n")
    let dynamics = type.properties.map { "@dynamic \($0.name);" }.joined(separator: "\n")
    return """
      \(header("\(type.name)+CoreDataProperties.m"))
      #import "\(type.name)+CoreDataProperties.h"

      @implementation \(type.name) (CoreDataProperties)

      + (NSFetchRequest<\(type.name) *> *)fetchRequest {
      \treturn [NSFetchRequest fetchRequestWithEntityName:@"\(entity)"];
      }

      \(dynamics)

      @end

      """
  }

  private static func declaration(_ property: GeneratedProperty) -> String {
    let name = property.name
    switch property.kind {
    case .attribute(let type, let usesScalar, let customClass):
      if usesScalar, let scalar = type.traits.cScalar {
        return "@property (nonatomic) \(scalar) \(name);"
      }
      let object = object(type, customClass)
      let storage = object.isCopied ? "copy" : "retain"
      return "@property (nullable, nonatomic, \(storage)) \(object.name) *\(name);"
    case .toOne(let target): return "@property (nullable, nonatomic, retain) \(target) *\(name);"
    case .toMany(let target, let isOrdered):
      let set = isOrdered ? "NSOrderedSet" : "NSSet"
      return "@property (nullable, nonatomic, retain) \(set)<\(target) *> *\(name);"
    case .fetched(let target):
      return "@property (nullable, nonatomic, readonly) NSArray<\(target) *> *\(name);"
    }
  }

  private static func object(
    _ type: NSAttributeType, _ customClass: String?
  ) -> (name: String, isCopied: Bool) {
    let traits = type.traits
    guard let valueClass = traits.valueClassName else {
      return (customClass.flatMap(CodeNames.objectiveCType) ?? "NSObject", false)
    }
    return (traits.kind == .composite ? "\(valueClass)<NSString *, id>" : valueClass, true)
  }

  private static func accessors(_ property: GeneratedProperty) -> String? {
    guard property.hasMemberMethods, case .toMany(let target, let isOrdered) = property.kind else {
      return nil
    }
    let name = property.capitalizedName
    let set = isOrdered ? "NSOrderedSet" : "NSSet"
    var lines: [String] = []
    if isOrdered {
      lines = [
        "- (void)insertObject:(\(target) *)value in\(name)AtIndex:(NSUInteger)idx;",
        "- (void)removeObjectFrom\(name)AtIndex:(NSUInteger)idx;",
        "- (void)insert\(name):(NSArray<\(target) *> *)value atIndexes:(NSIndexSet *)indexes;",
        "- (void)remove\(name)AtIndexes:(NSIndexSet *)indexes;",
        "- (void)replaceObjectIn\(name)AtIndex:(NSUInteger)idx withObject:(\(target) *)value;",
        "- (void)replace\(name)AtIndexes:(NSIndexSet *)indexes"
          + " with\(name):(NSArray<\(target) *> *)values;",
      ]
    }
    lines += [
      "- (void)add\(name)Object:(\(target) *)value;",
      "- (void)remove\(name)Object:(\(target) *)value;",
      "- (void)add\(name):(\(set)<\(target) *> *)values;",
      "- (void)remove\(name):(\(set)<\(target) *> *)values;",
    ]
    return lines.joined(separator: "\n")
  }
}
