import ManagedObjects

/// A class of another module, which no source names.
public final class DistantBuoy: NSManagedObject {}

/// One within a type of another module.
public enum Lighthouse { final class Lamp: NSManagedObject {} }
