import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// What `allowedTopLevelClasses` has to name.
@Suite struct AllowedClassTests {
  private func data(of value: Any) -> Data? {
    PaletteTransformer().reverseTransformedValue(value) as? Data
  }

  private func comesBack(_ value: Any) throws -> Any {
    let archive = try #require(data(of: value))
    return try #require(PaletteTransformer().transformedValue(archive))
  }

  @Test func objectsDecodeTheirOwn() throws {
    let palette = Palette([Color(red: 1), Color(red: 2)], accent: Color(red: 3))
    let found = try #require(try comesBack(palette) as? Palette)
    #expect(found.colors.map(\.red) == [1, 2] && found.accent?.red == 3)
    let list = try #require(try comesBack([palette, palette]) as? [Palette])
    #expect(list.map { $0.accent?.red } == [3, 3])
    let entries = try #require(try comesBack(["a": palette]) as? [String: Palette])
    #expect(entries["a"]?.colors.count == 2)
  }

  @Test func subclassesAreAllowed() throws {
    let made = LabelledPalette([Color(red: 1)], accent: nil)
    made.label = "warm"
    let found = try #require(try comesBack(made) as? LabelledPalette)
    #expect(found.label == "warm" && found.colors.map(\.red) == [1])
    let list = try #require(try comesBack([made, Palette([], accent: nil)]) as? [Palette])
    #expect(list.map { $0 is LabelledPalette } == [true, false])
  }

  @Test func membersOfPlainCollectionsMustBeAllowed() throws {
    let palette = Palette([], accent: Color(red: 1))
    #expect(data(of: Color(red: 1)) == nil)
    #expect(data(of: [palette, Color(red: 1)] as [Any]) == nil)
    // In the palette, and beside it.
    if let accent = palette.accent { #expect(data(of: [[palette], [accent]] as [Any]) == nil) }
    #expect(data(of: [Color(red: 1): palette]) == nil)
    let color = try #require(ColorTransformer().reverseTransformedValue(Color(red: 1)) as? Data)
    #expect(PaletteTransformer().transformedValue(color) == nil)
    let plain = try #require(data(of: palette))
    #expect(ColorTransformer().transformedValue(plain) == nil)
  }

  @Test func suchValuesAreSaved() throws {
    ValueTransformer.setValueTransformer(
      PaletteTransformer(), forName: NSValueTransformerName("PaletteTransformer"))
    let attribute = attribute("palette", .transformableAttributeType)
    attribute.valueTransformerName = "PaletteTransformer"
    let model = NSManagedObjectModel(of: [entity("Room", [attribute])])
    let folder = try TemporaryFolder()
    let url = folder.file("Rooms.sqlite")
    let writer = try TestStore.open(url, model)
    let room = NSEntityDescription.insertNewObject(forEntityName: "Room", into: writer)
    room["palette"] = Palette([Color(red: 5)], accent: nil)
    try writer.save()
    let reader = try TestStore.open(url, model)
    let found = try reader.fetch(NSFetchRequest<NSManagedObject>(entityName: "Room")).first
    #expect((found?["palette"] as? Palette)?.colors.map(\.red) == [5])
  }
}

/// Colors, whose class it names when it decodes them.
class Palette: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let colors: [Color]
  let accent: Color?

  init(_ colors: [Color], accent: Color?) { (self.colors, self.accent) = (colors, accent) }

  required init?(coder: NSCoder) {
    colors =
      coder.decodeObject(of: [NSArray.self, Color.self], forKey: "colors") as? [Color] ?? []
    accent =
      coder.containsValue(forKey: "accent")
      ? coder.decodeObject(of: Color.self, forKey: "accent") : nil
  }

  func encode(with coder: NSCoder) {
    coder.encode(NSArray(array: colors), forKey: "colors")
    if let accent { coder.encode(accent, forKey: "accent") }
  }
}

final class LabelledPalette: Palette {
  var label = ""

  override init(_ colors: [Color], accent: Color?) { super.init(colors, accent: accent) }

  required init?(coder: NSCoder) {
    super.init(coder: coder)
    label = coder.decodeObject(of: NSString.self, forKey: "label").map { "\($0)" } ?? ""
  }

  override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(label as NSString, forKey: "label")
  }
}

final class PaletteTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
  override class var allowedTopLevelClasses: [AnyClass] { [Palette.self] }
}
