import Foundation
import MomKit

/// The model that app and server share.
public enum SharedModel {
  /// The compiled model, one of this target's resources.
  ///
  /// - Precondition: The program was installed with its resources.
  public static let model: NSManagedObjectModel = {
    guard let url = Bundle.module.url(forResource: "Notes", withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: url)
    else { preconditionFailure("Notes.momd is missing from the program's resources") }
    return model
  }()

  /// The names of the entities. What refers to others comes after them.
  package static let entityNames = ["Site", "Tag", "Note"]

  /// The entities by name, with the properties that travel.
  package static let entities = Dictionary(
    uniqueKeysWithValues: entityNames.compactMap { name in
      model.entitiesByName[name].map { (name, SharedEntity($0)) }
    })
}

/// A sampling site.
public final class Site: NSManagedObject {
  public override func awakeFromInsert() {
    super.awakeFromInsert()
    identifier = UUID()
  }
}

/// A label of notes.
public final class Tag: NSManagedObject {
  public override func awakeFromInsert() {
    super.awakeFromInsert()
    identifier = UUID()
  }
}

/// A note from the field.
public final class Note: NSManagedObject {
  public override func awakeFromInsert() {
    super.awakeFromInsert()
    identifier = UUID()
    created = Date()
  }
}
