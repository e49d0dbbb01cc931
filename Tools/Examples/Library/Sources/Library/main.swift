import Foundation
import MomKit

// The compiled model is among the program's resources.
guard let url = Bundle.module.url(forResource: "Library", withExtension: "momd"),
  let model = NSManagedObjectModel(contentsOf: url)
else { fatalError("the model isn't in the resources") }

print("entities: \(model.entities.compactMap(\.name).sorted().joined(separator: ", "))")
print("fetches: \(Book.fetchRequest().entityName ?? "nothing")")
