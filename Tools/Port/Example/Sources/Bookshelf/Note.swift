import CoreData
import Foundation

/// A class whose model is created in code.
@objc(Note)
final class Note: NSManagedObject {
  @NSManaged var text: String
  @NSManaged var priority: Int16
  @NSManaged var due: Date?
  @NSManaged var tags: [String]?
  @NSManaged var rating: NSNumber?
  static let model = NSManagedObjectModel {
    NSEntityDescription(Note.self) {
      NSAttributeDescription.attribute(\Note.text, .string, default: "", optional: false)
      NSAttributeDescription.attribute(\Note.priority, .integer16, default: 3)
      NSAttributeDescription.attribute(\Note.due, .date)
      NSAttributeDescription.attribute(\Note.tags, .transformable)
      NSAttributeDescription.attribute(\Note.rating, .double)
    }
  }
}
