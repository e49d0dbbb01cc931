import DataModels

/// In an error of migrating: the ``NSMigrationManager``.
public let NSMigrationManagerKey = "NSMigrationManagerKey"
/// In an error of migrating: the source object.
public let NSMigrationSourceObjectKey = "NSMigrationSourceObjectKey"
/// In an error of migrating: the destination object.
public let NSMigrationDestinationObjectKey = "NSMigrationDestinationObjectKey"
/// In an error of migrating: the `NSEntityMapping`.
public let NSMigrationEntityMappingKey = "NSMigrationEntityMappingKey"
/// In an error of migrating: the `NSPropertyMapping`.
public let NSMigrationPropertyMappingKey = "NSMigrationPropertyMappingKey"
/// In an error of migrating: the ``NSEntityMigrationPolicy``.
public let NSMigrationEntityPolicyKey = "NSMigrationEntityPolicyKey"
