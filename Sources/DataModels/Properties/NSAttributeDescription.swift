import Foundation

/// A property that holds a value, such as a number, a string, a date or bytes.
///
/// ```swift
/// let age = NSAttributeDescription()
/// age.name = "age"
/// age.type = .integer16          // or age.attributeType = .integer16AttributeType
/// age.defaultValue = 0
/// age.isOptional = false
/// ```
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
  // Sendable: like its model, it is confined to one thread until it is in use, and immutable afterwards.
  @exclusivity(unchecked) package final var storedDefault: AttributeValue
  @exclusivity(unchecked) package final var storedType: NSAttributeType

  /// Creates an optional attribute without a name, of undefined type.
  public override init() {
    storedDefault = .none
    storedType = .undefinedAttributeType
    super.init()
  }

  /// Creates an attribute with the settings that a decoder has available, without checks.
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
  /// It is determined by the type (`NSNumber` for an integer, `NSString` for a string …) unless it is set, which makes
  /// sense only for transformable attributes.
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

  /// The initial value of a new object; `nil` for none.
  ///
  /// The setter accepts any Swift or Foundation representation of a value of the attribute's type, and the getter
  /// returns what an object's value is: an `NSNumber` for numbers and Booleans, which can be cast to `Int`, `Int16`,
  /// `Double` and so on, an `NSDecimalNumber` for a decimal, which can be cast to `Decimal`, or a `String`, `Date`,
  /// `Data`, `UUID` or `URL`; an object for a transformable attribute. A value of the wrong type is returned as it was
  /// set, and reported by ``NSManagedObjectModel/findings()``.
  open var defaultValue: Any? {
    get { (storedDefault.normalized(for: storedType) ?? storedDefault).bridged }
    set {
      willChange("setDefaultValue:", of: "NSAttributeDescription")
      storedDefault = AttributeValue(newValue)
    }
  }

  /// ``defaultValue`` as its Swift type: an `Int` for the three integer types, `Double`, `Float`, `Bool`, `Decimal`.
  package final var swiftDefaultValue: Any? {
    (storedDefault.normalized(for: storedType) ?? storedDefault).any
  }

  /// Whether a store may save large values in separate files.
  open var allowsExternalBinaryDataStorage: Bool {
    get { flags.contains(.allowsExternalBinaryDataStorage) }
    set {
      setFlag(
        .allowsExternalBinaryDataStorage, to: newValue, for: "setAllowsExternalBinaryDataStorage:",
        of: "NSAttributeDescription")
    }
  }

  /// Whether persistent history keeps the value of a deleted object.
  open var preservesValueInHistoryOnDeletion: Bool {
    get { flags.contains(.preservesValueInHistoryOnDeletion) }
    set {
      setFlag(
        .preservesValueInHistoryOnDeletion, to: newValue,
        for: "setPreservesValueInHistoryOnDeletion:",
        of: "NSAttributeDescription")
    }
  }

  /// Whether a CloudKit mirror encrypts the value. Preserved in archives, without any effect.
  open var allowsCloudEncryption: Bool {
    get { flags.contains(.allowsCloudEncryption) }
    set {
      setFlag(
        .allowsCloudEncryption, to: newValue, for: "setAllowsCloudEncryption:",
        of: "NSAttributeDescription")
    }
  }

  /// The name of the value transformer of a transformable attribute; `nil` for the default.
  open var valueTransformerName: String? {
    get { extras?.valueTransformerName }
    set {
      willChange("setValueTransformerName:", of: "NSAttributeDescription")
      if newValue != nil || extras != nil { extra.valueTransformerName = newValue }
    }
  }

  /// The inline bounds (`NSMinValueName`, `NSMaxValueName`): an `Int64` or a `Double`. Apple's decoder supports them,
  /// but no file that contains them has been seen.
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
