import MomKit

import class PredicateFormat.NSExpression

/// Later versions of the model of ``EventsModel``.
extension EventsModel {
  /// Version 2: events have a title. The mapping can be inferred.
  static func withTitles() -> NSManagedObjectModel {
    let model = make()
    let title = NSAttributeDescription()
    title.name = "title"
    title.attributeType = .stringAttributeType
    model.entitiesByName["Event"]?.properties.append(title)
    return model
  }

  /// Version 3: the timestamp is a string. No mapping can be inferred.
  static func withTextualTimestamps() -> NSManagedObjectModel {
    let model = withTitles()
    let event = model.entitiesByName["Event"]
    event?.attributesByName["timestamp"]?.attributeType = .stringAttributeType
    return model
  }

  /// Returns the mapping from version 2 to 3: events by a migration policy, locations copied.
  static func mapping() -> NSMappingModel {
    let (event, location) = (NSEntityMapping(), NSEntityMapping())
    event.name = "EventToEvent"
    event.mappingType = .customEntityMappingType
    event.sourceEntityName = "Event"
    event.destinationEntityName = "Event"
    event.entityMigrationPolicyClassName = NSStringFromClass(TimestampPolicy.self)
    event.attributeMappings = [property("title", "$source.title")]
    event.relationshipMappings = [
      property(
        "location",
        "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', "
          + "'LocationToLocation', $source.location)")
    ]
    location.name = "LocationToLocation"
    location.mappingType = .copyEntityMappingType
    location.sourceEntityName = "Location"
    location.destinationEntityName = "Location"
    location.attributeMappings = [property("name", "$source.name")]
    location.relationshipMappings = [
      property(
        "events",
        "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', "
          + "'EventToEvent', $source.events)")
    ]
    let mapping = NSMappingModel()
    mapping.entityMappings = [event, location]
    return mapping
  }

  private static func property(_ name: String, _ format: String) -> NSPropertyMapping {
    let mapping = NSPropertyMapping()
    mapping.name = name
    mapping.valueExpression = NSExpression(format: format)
    return mapping
  }
}

/// Converts timestamps to strings.
final class TimestampPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    let made = manager.destinationInstances(
      forEntityMappingName: mapping.name, sourceInstances: [sInstance])
    let timestamp = sInstance.value(forKey: "timestamp") as? Date
    for event in made { event.setValue(timestamp?.formatted(.iso8601), forKey: "timestamp") }
  }
}
