import MomKit

// Extensions that make descriptions more concise.

extension NSEntityDescription {
  convenience init(from classType: AnyClass) {
    self.init()
    name = String(describing: classType)
    managedObjectClassName = NSStringFromClass(classType)
  }

  func addProperty(_ property: NSPropertyDescription) {
    properties.append(property)
  }
}

extension NSAttributeDescription {
  convenience init(name: String, ofType type: NSAttributeType, isOptional: Bool = false) {
    self.init()
    self.name = name
    attributeType = type
    self.isOptional = isOptional
  }
}
