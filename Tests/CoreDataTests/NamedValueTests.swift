import CoreData
import Foundation
import Testing

/// A value's class, which has another name in Objective-C than in Swift.
final class Tint: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let shade: Int

  init(shade: Int) { self.shade = shade }
  init?(coder: NSCoder) { shade = coder.decodeInteger(forKey: "shade") }
  func encode(with coder: NSCoder) { coder.encode(shade, forKey: "shade") }
}

/// The code that `momtool port` writes for `@objc(BrandTint) class Tint`.
final class NamedClasses_NamedValueTests: NamedClasses {
  static var classesByName: [String: AnyClass] { ["BrandTint": Tint.self] }
}

private final class TintTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
  override class var allowedTopLevelClasses: [AnyClass] { [Tint.self] }
}

@Suite struct NamedValueTests {
  @Test func `values of classes with names of their own are read again`() throws {
    let transformer = TintTransformer()
    let data = try #require(transformer.reverseTransformedValue(Tint(shade: 3)) as? Data)
    #expect((transformer.transformedValue(data) as? Tint)?.shade == 3)
    // As archived by Foundation alone.
    let plain = try NSKeyedArchiver.archivedData(
      withRootObject: Tint(shade: 4), requiringSecureCoding: true)
    #expect((transformer.transformedValue(plain) as? Tint)?.shade == 4)
  }
}
