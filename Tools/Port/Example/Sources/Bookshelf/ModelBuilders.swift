import CoreData

@resultBuilder
enum PropertiesBuilder {
  static func buildBlock(_ properties: [NSPropertyDescription]...) -> [NSPropertyDescription] {
    properties.flatMap { $0 }
  }
  static func buildExpression(_ property: NSPropertyDescription) -> [NSPropertyDescription] {
    [property]
  }
  static func buildOptional(_ properties: [NSPropertyDescription]?)
    -> [NSPropertyDescription]
  { properties ?? [] }
  static func buildArray(_ properties: [[NSPropertyDescription]]) -> [NSPropertyDescription] {
    properties.flatMap { $0 }
  }
}

extension NSEntityDescription {
  convenience init<T: NSManagedObject>(
    _ type: T.Type, name: String? = nil,
    @PropertiesBuilder properties: () -> [NSPropertyDescription]
  ) {
    self.init()
    self.name = name ?? String(describing: type)
    managedObjectClassName = NSStringFromClass(type)
    self.properties = properties()
  }
}

extension NSAttributeDescription {
  static func attribute<Root, Value>(
    _ keyPath: KeyPath<Root, Value>, _ type: AttributeType, default value: Any? = nil,
    optional: Bool = true
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = NSExpression(forKeyPath: keyPath).keyPath
    attribute.type = type
    attribute.defaultValue = value
    attribute.isOptional = optional
    return attribute
  }
}

extension NSManagedObjectModel {
  convenience init(@EntitiesBuilder _ entities: () -> [NSEntityDescription]) {
    self.init()
    self.entities = entities()
  }
}

@resultBuilder
enum EntitiesBuilder {
  static func buildBlock(_ entities: NSEntityDescription...) -> [NSEntityDescription] {
    entities
  }
}
