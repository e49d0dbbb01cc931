import PropertyLists
import TestSupport
import Testing

@testable import DataModels

/// Replaces every field of every object in a model's archive with every other kind of value.
///
/// The decoder may accept or reject it, but must not trap or take long. Whatever it accepts must be writable and
/// readable again.
@Suite struct FieldSubstitutionTests {
  /// One value of each kind, and references to objects of several classes.
  private static func substitutes(_ archive: EditableArchive) -> [ArchiveValue] {
    let classes = [
      "NSManagedObjectModel", "NSEntityDescription", "NSAttributeDescription",
      "NSRelationshipDescription", "NSMutableDictionary", "NSDictionary", "NSArray", "NSSet",
      "NSFetchRequest", "NSFetchedPropertyDescription", "NSCompositeAttributeDescription",
      "NSComparisonPredicate", "NSCompoundPredicate", "NSKeyPathExpression", "NSSelfExpression",
      "NSFetchIndexDescription", "NSDate", "NSDecimalNumberPlaceholder", "Unknown",
    ]
    let text = archive.objects.firstIndex { if case .string = $0 { true } else { false } }
    return [
      .null, .boolean(true), .boolean(false), .integer(0, width: 1), .integer(-1, width: 8),
      .integer(Int128(Int64.max), width: 8), .integer(Int128(1) << 90, width: 16), .float(0.5),
      .double(.nan), .double(-1e308), .date(1), .data([1, 2, 3]), .string("text"), .string(""),
      .array([]), .array([.reference(1)]), .array([.integer(1, width: 1)]), .dictionary([]),
      .set([]), .reference(0), .reference((text ?? 0) + 1),
      .dictionary([ArchiveField("a", .reference(1))]),
    ] + classes.compactMap { archive.instances(of: $0).first.map { .reference($0) } }
  }

  /// Representative fields: each key of each class once.
  private static func places(_ archive: EditableArchive) -> [(object: Int, key: String)] {
    var seen = Set<String>()
    var places: [(Int, String)] = []
    for number in archive.objects.indices {
      guard let type = archive.className(ofObject: number) else { continue }
      for field in archive.fields(ofObject: number)
      where seen.insert("\(type).\(field.key)").inserted {
        places.append((number, field.key))
      }
    }
    return places
  }

  @Test func noValueUnderAnyKeyEndsTheProgram() throws {
    var archive = try FeatureModel.archive()
    let unknown = archive.addClass("Unknown", "NSObject")
    _ = archive.addInstance(of: unknown, [ArchiveField("x", .reference(1))])
    let places = Self.places(archive)
    #expect(places.count > 150)
    let substitutes = Self.substitutes(archive)
    var counts = (taken: 0, refused: 0)
    for (object, key) in places {
      for value in substitutes {
        var broken = archive
        broken[object, key] = value
        do throws(ArchiveError) {
          let model = try ModelArchive.decode(broken.bytes)
          counts.taken += 1
          try Self.rewrite(model, "\(key) of object \(object) with \(value)")
        } catch {
          counts.refused += 1
          #expect(!error.message.isEmpty)
        }
      }
    }
    #expect(counts.taken > 500 && counts.refused > 500, "\(counts)")
  }

  @Test func noMissingKeyEndsTheProgram() throws {
    let archive = try FeatureModel.archive()
    for (object, key) in Self.places(archive) {
      var broken = archive
      broken[object, key] = nil
      guard let model = try? ModelArchive.decode(broken.bytes) else { continue }
      try? Self.rewrite(model, "without \(key) of object \(object)")
    }
  }

  /// Writes an accepted model, and reads it again.
  private static func rewrite(
    _ model: NSManagedObjectModel, _ what: String
  ) throws(ArchiveError) {
    let written = try ModelArchive.encode(model)
    do {
      let again = try ModelArchive.decode(written)
      let twice = try ModelArchive.encode(again)
      #expect(twice == written, "\(what): changes when written again")
    } catch {
      Issue.record("\(what): what was written is refused: \(error)")
    }
  }
}
