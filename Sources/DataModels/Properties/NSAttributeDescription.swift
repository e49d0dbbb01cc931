import Foundation

/// A property that holds a value: a number, a text, a date, bytes …
///
/// ```swift
/// let age = NSAttributeDescription()
/// age.name = "age"
/// age.type = .integer16          // or age.attributeType = .integer16AttributeType
/// age.defaultValue = 0
/// age.isOptional = false
/// ```
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
  // Sendable: as its model: in one place at a time until it is in use, never changed from then on.
  @exclusivity(unchecked) package final var storedDefault: AttributeValue
  @exclusivity(unchecked) package final var storedType: NSAttributeType

  /// Makes an optional attribute without a name, of undefined type.
  public override init() {
    storedDefault = .none
    storedType = .undefinedAttributeType
    super.init()
  }

  /// Makes an attribute with the settings a decoder has at hand; nothing is checked.
  package init(
    name: String, flags: PropertyFlags, type: NSAttributeType,
    defaultValue: AttributeValue = .none
  ) {
    storedDefault = defaultValue
    storedType = type
    super.init(name: name, flags: flags)
  }

  /// The type of the values, under Core Data's older names.
  open var attributeType: NSAttributeType {
    get { storedType }
    set {
      willChange("setAttributeType:", of: "NSAttributeDescription")
      storedType = newValue
    }
  }

  /// The type of the values, under Core Data's newer names.
  public final var type: AttributeType {
    get { AttributeType(rawValue: attributeType) }
    set { attributeType = newValue.rawValue }
  }

  /// The name of the class of the values.
  ///
  /// It follows the type (`NSNumber` for an integer, `NSString` for a text …) unless it is set. Only
  /// transformable attributes have a reason to.
  open var attributeValueClassName: String? {
    get {
      flags.contains(.ownValueClass) ? extras?.valueClassName : storedType.standardValueClassName
    }
    set {
      willChange("setAttributeValueClassName:", of: "NSAttributeDescription")
      if newValue == storedType.standardValueClassName {
        flags.remove(.ownValueClass)
        extras?.valueClassName = nil
      } else {
        flags.insert(.ownValueClass)
        extra.valueClassName = newValue
      }
    }
  }

  /// The value a new object starts with; `nil` for none.
  ///
  /// Takes any Swift or Foundation form of a value of the attribute's type and gives Swift's: `Int`
  /// for the three integer types, `Double`, `Float`, `Bool`, `String`, `Decimal`, `Date`, `Data`,
  /// `UUID`, `URL`; an object for a transformable attribute. A value that doesn't fit the type is
  /// given back as it was set; ``NSManagedObjectModel/findings()`` reports it.
  open var defaultValue: Any? {
    get { (storedDefault.normalized(for: storedType) ?? storedDefault).any }
    set {
      willChange("setDefaultValue:", of: "NSAttributeDescription")
      storedDefault = AttributeValue(newValue)
    }
  }

  /// Whether a store may keep large values in files beside it.
  open var allowsExternalBinaryDataStorage: Bool {
    get { flags.contains(.allowsExternalBinaryDataStorage) }
    set {
      setFlag(
        .allowsExternalBinaryDataStorage, newValue, "setAllowsExternalBinaryDataStorage:",
        of: "NSAttributeDescription")
    }
  }

  /// Whether persistent history keeps the value of a deleted object.
  open var preservesValueInHistoryOnDeletion: Bool {
    get { flags.contains(.preservesValueInHistoryOnDeletion) }
    set {
      setFlag(
        .preservesValueInHistoryOnDeletion, newValue, "setPreservesValueInHistoryOnDeletion:",
        of: "NSAttributeDescription")
    }
  }

  /// Whether a CloudKit mirror encrypts the value. Kept for archives; nothing acts on it.
  open var allowsCloudEncryption: Bool {
    get { flags.contains(.allowsCloudEncryption) }
    set {
      setFlag(
        .allowsCloudEncryption, newValue, "setAllowsCloudEncryption:",
        of: "NSAttributeDescription")
    }
  }

  /// The name of the transformer between a transformable value and its bytes; `nil` for the
  /// default.
  open var valueTransformerName: String? {
    get { extras?.valueTransformerName }
    set {
      willChange("setValueTransformerName:", of: "NSAttributeDescription")
      if newValue != nil || extras != nil { extra.valueTransformerName = newValue }
    }
  }

  /// Inline bounds (`NSMinValueName`, `NSMaxValueName`): an `Int64` or a `Double`. Apple's reader
  /// knows them; no file with them has been seen.
  final var inlineMinValue: (any Sendable)? {
    get { extras?.minValue }
    set { if newValue != nil || extras != nil { extra.minValue = newValue } }
  }

  /// See ``inlineMinValue``.
  final var inlineMaxValue: (any Sendable)? {
    get { extras?.maxValue }
    set { if newValue != nil || extras != nil { extra.maxValue = newValue } }
  }

  override func shallowCopy() -> NSPropertyDescription {
    let copy = NSAttributeDescription(
      name: storedName, flags: flags, type: storedType, defaultValue: storedDefault)
    copyCommonSettings(to: copy)
    return copy
  }
}
