import MomKit

// What programs add to the descriptions to make them shorter to write.

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
