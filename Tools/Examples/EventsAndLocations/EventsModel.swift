import MomKit

#if canImport(ObjectiveC)
  @objc(Event)
#endif
final class Event: NSManagedObject {
  @Managed var timestamp: Date?
  @Managed var location: Location?
}

#if canImport(ObjectiveC)
  @objc(Location)
#endif
final class Location: NSManagedObject {
  @Managed var name: String?
  @Managed var events: Set<Event>
}

/// A model in which events take place at locations.
enum EventsModel {
  /// - Parameter rule: the delete rule of a location's events.
  static func make(rule: NSDeleteRule = .nullifyDeleteRule) -> NSManagedObjectModel {
    let (event, location) = (NSEntityDescription(), NSEntityDescription())
    event.name = "Event"
    event.managedObjectClassName = "Event"
    location.name = "Location"
    location.managedObjectClassName = "Location"

    let timestamp = NSAttributeDescription()
    timestamp.name = "timestamp"
    timestamp.attributeType = .dateAttributeType
    let name = NSAttributeDescription()
    name.name = "name"
    name.attributeType = .stringAttributeType

    let (place, events) = (NSRelationshipDescription(), NSRelationshipDescription())
    place.name = "location"
    place.destinationEntity = location
    place.maxCount = 1
    events.name = "events"
    events.destinationEntity = event
    events.maxCount = 0
    events.deleteRule = rule
    place.inverseRelationship = events
    events.inverseRelationship = place

    event.properties = [timestamp, place]
    location.properties = [name, events]
    let model = NSManagedObjectModel()
    model.entities = [event, location]
    return model
  }
}
