import DataModels
import Foundation

/// Models of events and locations, as in many a first program.
enum EventModels {
  /// Version 1, or version 2 with `Event.title`.
  static func model(title: Bool = false, prepare: (NSManagedObjectModel) -> Void = { _ in })
    -> NSManagedObjectModel
  {
    let (event, location) = (NSEntityDescription(), NSEntityDescription())
    (event.name, location.name) = ("Event", "Location")
    let (place, events) = (NSRelationshipDescription(), NSRelationshipDescription())
    (place.name, events.name) = ("location", "events")
    (place.maxCount, events.maxCount) = (1, 0)
    (place.destinationEntity, events.destinationEntity) = (location, event)
    (place.inverseRelationship, events.inverseRelationship) = (events, place)
    (place.isOptional, events.isOptional) = (true, true)
    event.properties = [attribute("timestamp", .dateAttributeType), place]
    if title { event.properties.append(attribute("title", .stringAttributeType)) }
    location.properties = [attribute("name", .stringAttributeType), events]
    let model = NSManagedObjectModel()
    model.entities = [event, location]
    prepare(model)
    return model
  }

  static func attribute(
    _ name: String, _ type: NSAttributeType, optional: Bool = true, default value: Any? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = optional
    attribute.defaultValue = value
    return attribute
  }
}
