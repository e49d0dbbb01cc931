import CoreData
import Foundation

/// An attribute's value, stored by a value transformer.
@objc(Colour)
public final class Colour: NSObject, NSSecureCoding {
  /// Supports secure coding.
  public static var supportsSecureCoding: Bool { true }
  let red: Double, green: Double
  init(red: Double, green: Double) { (self.red, self.green) = (red, green) }
  /// Decodes a colour.
  public required init?(coder: NSCoder) {
    red = coder.decodeDouble(forKey: "red")
    green = coder.decodeDouble(forKey: "green")
  }
  /// Encodes the colour.
  public func encode(with coder: NSCoder) {
    coder.encode(red, forKey: "red")
    coder.encode(green, forKey: "green")
  }
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? Colour else { return false }
    return other.red == red && other.green == green
  }
}

@objc(ColourTransformer)
final class ColourTransformer: NSSecureUnarchiveFromDataTransformer {
  static let name = NSValueTransformerName(rawValue: String(describing: ColourTransformer.self))
  override static var allowedTopLevelClasses: [AnyClass] { [Colour.self] }
  static func register() {
    ValueTransformer.setValueTransformer(ColourTransformer(), forName: name)
  }
}
