import ManagedObjects

/// A class in another module that no source names.
public final class DistantBuoy: NSManagedObject {}

/// A class nested in a type of another module.
public enum Lighthouse { final class Lamp: NSManagedObject {} }
