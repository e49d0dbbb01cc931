import DataModels
import Foundation
import TestSupport

/// A model of three related entities that tests edit.
func libraryModel() -> NSManagedObjectModel {
  let author = entity("Author", [attribute("name", .string), attribute("born", .date)])
  let book = entity(
    "Book",
    [attribute("title", .string, optional: false, default: ""), attribute("pages", .integer32)])
  let thing = entity("Thing", [attribute("identifier", .uuid)])
  thing.isAbstract = true
  relate(author, "books", toMany: true, book, "author", toMany: false)
  book.uniquenessConstraints = [["title"]]
  let model = NSManagedObjectModel(of: [thing, author, book])
  thing.subentities = [author, book]
  book.indexes = [index("byTitle", ["title"], in: book)]
  model.setEntities([author, book, thing], forConfigurationName: "Main")
  let request = NSFetchRequest<NSFetchRequestResult>()
  request.entity = book
  model.setFetchRequestTemplate(request, forName: "AllBooks")
  return model
}

/// A changed copy of a model.
func edited(
  _ model: NSManagedObjectModel, _ edit: (NSManagedObjectModel) throws -> Void
) rethrows -> NSManagedObjectModel {
  let copy = model.copy() as? NSManagedObjectModel ?? NSManagedObjectModel()
  try edit(copy)
  return copy
}

func index(_ name: String, _ properties: [String], in entity: NSEntityDescription)
  -> NSFetchIndexDescription
{
  NSFetchIndexDescription(
    name: name,
    elements: properties.compactMap { entity.propertiesByName[$0] }.map {
      NSFetchIndexElementDescription(property: $0, collationType: .binary)
    })
}

@discardableResult
func relate(
  _ one: NSEntityDescription, _ name: String, toMany: Bool, _ other: NSEntityDescription,
  _ inverseName: String, toMany inverseToMany: Bool
) -> (NSRelationshipDescription, NSRelationshipDescription) {
  let relationship = NSRelationshipDescription()
  relationship.name = name
  relationship.maxCount = toMany ? 0 : 1
  relationship.destinationEntity = other
  let inverse = NSRelationshipDescription()
  inverse.name = inverseName
  inverse.maxCount = inverseToMany ? 0 : 1
  inverse.destinationEntity = one
  link(relationship, inverse)
  one.properties.append(relationship)
  other.properties.append(inverse)
  return (relationship, inverse)
}

extension NSManagedObjectModel {
  /// Returns an entity known to exist.
  func the(_ name: String) -> NSEntityDescription {
    entitiesByName[name] ?? NSEntityDescription()
  }

  /// Returns an attribute known to exist.
  func attribute(_ name: String, of entity: String) -> NSAttributeDescription {
    the(entity).propertiesByName[name] as? NSAttributeDescription ?? NSAttributeDescription()
  }

  /// Returns a relationship known to exist.
  func relationship(_ name: String, of entity: String) -> NSRelationshipDescription {
    the(entity).propertiesByName[name] as? NSRelationshipDescription
      ?? NSRelationshipDescription()
  }

  /// Removes an entity and everything that refers to it.
  func remove(_ name: String) {
    let gone = the(name)
    for entity in entities {
      entity.properties = entity.ownProperties.filter {
        ($0 as? NSRelationshipDescription)?.destinationEntity !== gone
      }
    }
    gone.superentity.map { parent in
      parent.subentities = parent.subentities.filter { $0 !== gone }
    }
    for (template, request) in fetchRequestTemplatesByName where request.entity === gone {
      setFetchRequestTemplate(nil, forName: template)
    }
    entities = entities.filter { $0 !== gone }
  }
}

extension NSEntityDescription {
  /// Removes one of the entity's own properties.
  func remove(_ name: String) { properties = ownProperties.filter { $0.name != name } }
}
