import DataModels
import Foundation
import TestSupport

/// Models of events and locations, as in many sample programs.
enum EventModels {
  /// Version 1, or version 2 with `Event.title`.
  static func model(title: Bool = false, prepare: (NSManagedObjectModel) -> Void = { _ in })
    -> NSManagedObjectModel
  {
    let (event, location) = (entity("Event"), entity("Location"))
    let (place, events) = (NSRelationshipDescription(), NSRelationshipDescription())
    (place.name, events.name) = ("location", "events")
    (place.maxCount, events.maxCount) = (1, 0)
    (place.destinationEntity, events.destinationEntity) = (location, event)
    link(place, events)
    (place.isOptional, events.isOptional) = (true, true)
    event.properties = [attribute("timestamp", .dateAttributeType), place]
    if title { event.properties.append(attribute("title", .stringAttributeType)) }
    location.properties = [attribute("name", .stringAttributeType), events]
    let model = NSManagedObjectModel(of: [event, location])
    prepare(model)
    return model
  }
}
