import CoreData
import Foundation

/// The common interface of this model's classes.
protocol Entity: NSManagedObject {}

extension Entity {
  static func fetchRequest() -> NSFetchRequest<Self> {
    NSFetchRequest<Self>(entityName: entity().name ?? "")
  }

  static func all(_ predicate: NSPredicate? = nil, sortedBy keyPath: KeyPath<Self, some Any>)
    -> NSFetchRequest<Self>
  {
    let request = NSFetchRequest<Self>(entityName: entity().name ?? "")
    request.predicate = predicate
    request.sortDescriptors = [NSSortDescriptor(keyPath: keyPath, ascending: true)]
    return request
  }
}

extension Book: Entity {
  var chapterTitles: [String] { chapters?.compactMap { ($0 as? Chapter)?.title } ?? [] }
  var height: Double? { size?["height"] as? Double }
}

/// A chapter of a book.
@objc(Chapter)
public class Chapter: NSManagedObject, Entity {}

extension CodingUserInfoKey {
  // swift-format-ignore: NeverForceUnwrap
  static let context = CodingUserInfoKey(rawValue: "context")!
}
