import Foundation
import PredicateFormat

// Rules about attributes.
extension ModelCheck {
  mutating func checkAttribute(
    _ attribute: NSAttributeDescription, of entity: NSEntityDescription
  ) {
    checkTypeAndDefault(of: attribute, at: attribute.storedName, in: entity)
    switch attribute {
    case let derived as NSDerivedAttributeDescription: checkDerived(derived, of: entity)
    case let composite as NSCompositeAttributeDescription: checkComposite(composite, of: entity)
    default: break
    }
  }

  private mutating func checkTypeAndDefault(
    of attribute: NSAttributeDescription, at path: String, in entity: NSEntityDescription
  ) {
    let type = attribute.storedType
    let isComposite = attribute is NSCompositeAttributeDescription
    if type == .undefinedAttributeType && !attribute.isTransient {
      report(
        .attributeType, in: entity, at: path, "the attribute is stored and has no type",
        hint: "set its type, or make it transient")
    } else if type == .objectIDAttributeType {
      report(.attributeType, in: entity, at: path, "the type object ID is for expressions only")
    } else if (type == .compositeAttributeType) != isComposite {
      report(
        .attributeType, in: entity, at: path,
        isComposite
          ? "a composite attribute must have the composite type"
          : "the composite type needs an NSCompositeAttributeDescription")
    }
    if attribute.storedDefault.normalized(for: type) == nil {
      report(
        .defaultValue, in: entity, at: path,
        "the default value '\(attribute.storedDefault.any.map { "\($0)" } ?? "")' doesn't fit the"
          + " type \(type.label)")
    }
    if attribute.allowsExternalBinaryDataStorage && type != .binaryDataAttributeType {
      report(
        .externalStorage, as: .warning, in: entity, at: path,
        "external storage is for binary data; the type is \(type.label)")
    }
    checkBounds(of: attribute, at: path, in: entity)
  }

  private mutating func checkBounds(
    of attribute: NSAttributeDescription, at path: String, in entity: NSEntityDescription
  ) {
    let bounds = ValidationBounds(attribute.validationPredicates)
    if let (subject, low, high) = bounds.crossing {
      let subject = subject == .length ? "length" : "value"
      report(
        .bounds, in: entity, at: path,
        "the minimum \(subject), \(low), exceeds the maximum, \(high)")
    }
    guard let low = attribute.inlineMinValue, let high = attribute.inlineMaxValue else { return }
    let crossed =
      switch (low, high) {
      case (let low as Int64, let high as Int64): low > high
      case (let low as Double, let high as Double): low > high
      default: false
      }
    if crossed {
      report(
        .bounds, in: entity, at: path, "the minimum value, \(low), exceeds the maximum, \(high)")
    }
  }

  private mutating func checkDerived(
    _ derived: NSDerivedAttributeDescription, of entity: NSEntityDescription
  ) {
    if let expression = derived.storedExpression {
      for path in KeyPathReader.paths(in: expression.tree) {
        guard let key = unknownKey(in: path, from: nil) else { continue }
        report(
          .derivation, in: entity, at: derived.storedName,
          "the derived attribute uses '\(path)', but '\(key)' doesn't exist")
      }
    } else {
      report(
        .derivation, in: entity, at: derived.storedName, "the derived attribute has no expression",
        hint: "set its derivationExpression")
    }
    if !derived.storedDefault.isNone {
      report(
        .defaultValue, as: .warning, in: entity, at: derived.storedName,
        "the default value of a derived attribute has no effect")
    }
  }

  /// Checks a composite's elements at every depth, without recursion, visiting each composite once.
  private mutating func checkComposite(
    _ composite: NSCompositeAttributeDescription, of entity: NSEntityDescription
  ) {
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(composite)]
    var pending = [(composite, composite.storedName)]
    while let (current, path) = pending.popLast() {
      if current.storedElements.isEmpty {
        report(.composite, in: entity, at: path, "the composite attribute has no elements")
      }
      var names = Set<String>()
      for element in current.storedElements {
        let name = element.storedName
        let elementPath = path + "." + name
        if name.isEmpty {
          report(
            .propertyName, in: entity, at: path, "an element has no name", hint: "set its name")
        } else if !names.insert(name).inserted {
          report(
            .duplicateProperty, in: entity, at: elementPath, "another element has the same name")
        }
        if element is NSDerivedAttributeDescription {
          report(.composite, in: entity, at: elementPath, "a derived attribute can't be an element")
        }
        checkTypeAndDefault(of: element, at: elementPath, in: entity)
        guard let inner = element as? NSCompositeAttributeDescription else { continue }
        if seen.insert(ObjectIdentifier(inner)).inserted {
          pending.append((inner, elementPath))
        } else {
          report(
            .composite, in: entity, at: elementPath,
            "the composite is an element of itself, or of two composites",
            hint: "give each composite elements of its own")
        }
      }
    }
  }
}
