import DataModels
import Foundation

/// Converts attribute values between model versions. For SQLite stores that are migrated in place, SQL does the same
/// conversion: both produce the same rows.
enum MigrationConversion {
  /// The reason why a value can't be converted.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The value of an attribute in the new version for a value in the old one.
  ///
  /// Numbers become the nearest one of the new type, truncated towards zero. Transformable values are passed on as
  /// stored bytes if both attributes decode them alike, otherwise as decoded objects. A missing value of a mandatory
  /// attribute becomes the attribute's default.
  ///
  /// - Throws: ``Failure`` for a value that the new attribute can't hold, or that can't be decoded.
  static func value(
    _ value: StoredValue, from old: NSAttributeDescription, to new: NSAttributeDescription
  ) throws -> StoredValue {
    let (before, after) = (old.attributeType, new.attributeType)
    if before == .compositeAttributeType, after == .compositeAttributeType,
      let old = old as? NSCompositeAttributeDescription,
      let new = new as? NSCompositeAttributeDescription
    {
      return try composite(value, from: old, to: new)
    }
    if value.isNull { return standard(new) ?? .null }
    if before == .transformableAttributeType || after == .transformableAttributeType {
      return try transformed(value, from: old, to: new)
    }
    if before == after { return value }
    if isNumber(before), isNumber(after), let number = number(value, as: after) { return number }
    guard let made = AttributeCodec.stored(AttributeCodec.object(value, type: before), type: after)
    else {
      throw Failure(description: "a value of '\(old.name)' can't be converted for '\(new.name)'")
    }
    return made
  }

  /// The default of a mandatory attribute; nil for an optional one, or one without a default.
  static func standard(_ attribute: NSAttributeDescription) -> StoredValue? {
    guard !attribute.isOptional else { return nil }
    let value = AttributeCodec.stored(attribute.defaultValue, type: attribute.attributeType)
    return value?.isNull == false ? value : nil
  }

  // MARK: Numbers

  private static func isNumber(_ type: NSAttributeType) -> Bool {
    type.operandType?.isNumeric ?? false
  }

  /// The nearest number of a type; nil if the value isn't a number or the type isn't numeric.
  static func number(_ value: StoredValue, as type: NSAttributeType) -> StoredValue? {
    let whole: Int64
    let real: Double
    switch value {
    case .integer(let number): (whole, real) = (number, Double(number))
    case .real(let number): (whole, real) = (truncated(number), number)
    case .box(let box):
      guard let decimal = box.value as? Decimal, let number = Double(decimal.description) else {
        return nil
      }
      (whole, real) = (truncated(number), number)
    default: return nil
    }
    return type.stored(whole: whole, real: real)
  }

  private static func truncated(_ number: Double) -> Int64 {
    if number.isNaN { return 0 }
    if number >= 9_223_372_036_854_775_808 { return .max }
    if number <= -9_223_372_036_854_775_808 { return .min }
    return Int64(number.rounded(.towardZero))
  }

  // MARK: Transformable values

  private static func transformed(
    _ value: StoredValue, from old: NSAttributeDescription, to new: NSAttributeDescription
  ) throws -> StoredValue {
    let isKept =
      old.attributeType == new.attributeType
      ? AttributeTransformer.readAlike(old, new) : allowsBytes(old, new)
    if isKept {
      guard old.attributeType != new.attributeType, case .box(let box) = value else { return value }
      return .data(try box.encoded ?? AttributeTransformer.data(of: box.value, for: old))
    }
    let object: Any?
    if case .data(let data) = value, old.attributeType == .transformableAttributeType {
      object = AttributeTransformer.value(of: data, for: old)
    } else {
      object = AttributeCodec.object(value, type: old.attributeType)
    }
    guard let object else {
      throw Failure(
        description: "a value of '\(old.name)' can't be read: the transformer "
          + "'\(old.valueTransformerName ?? "")' is not registered, or can't decode it")
    }
    guard let made = AttributeCodec.stored(object, type: new.attributeType) else {
      throw Failure(
        description: "a \(type(of: object)) of '\(old.name)' can't be converted for '\(new.name)'"
      )
    }
    return made
  }

  /// Whether a transformable attribute may become a binary data attribute, or vice versa, keeping its bytes.
  private static func allowsBytes(
    _ old: NSAttributeDescription, _ new: NSAttributeDescription
  ) -> Bool {
    Set([old.attributeType, new.attributeType])
      == [.transformableAttributeType, .binaryDataAttributeType]
      && new.userInfo?["NSMigrationAllowTypeTransformation"] != nil
  }

  // MARK: Composite values

  private static func composite(
    _ value: StoredValue, from old: NSCompositeAttributeDescription,
    to new: NSCompositeAttributeDescription
  ) throws -> StoredValue {
    var values: [String: Any] = [:]
    if case .box(let box) = value { values = box.value as? [String: Any] ?? [:] }
    var made: [String: Any] = [:]
    for element in new.elements {
      guard let before = old.element(goingOnAs: element) else {
        made[element.name] = AttributeCodec.object(
          AttributeCodec.defaultValue(of: element), type: element.attributeType)
        continue
      }
      let given = values[before.name]
      if let bytes = given as? UntransformedBytes {
        guard AttributeTransformer.readAlike(before, element) else {
          throw Failure(description: "a value of '\(old.name).\(before.name)' can't be read")
        }
        made[element.name] = bytes
        continue
      }
      guard let stored = AttributeCodec.stored(given, type: before.attributeType) else {
        throw Failure(description: "'\(old.name).\(before.name)' is not of its type")
      }
      // If a mandatory element is missing, the composite itself is missing.
      if stored.isNull, !before.isOptional, before.attributeType != .compositeAttributeType {
        continue
      }
      made[element.name] = AttributeCodec.object(
        try self.value(stored, from: before, to: element), type: element.attributeType)
    }
    return made.isEmpty ? .null : .box(ValueBox(made))
  }
}

extension NSCompositeAttributeDescription {
  /// The element that an element of the next version's composite continues; nil for a new element.
  func element(goingOnAs next: NSAttributeDescription) -> NSAttributeDescription? {
    elements.first { $0.renamingIdentifier == next.renamingIdentifier }
      ?? elements.first { $0.name == next.renamingIdentifier }
  }
}
