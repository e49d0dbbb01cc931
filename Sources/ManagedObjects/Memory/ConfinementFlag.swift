/// Whether contexts and their objects check that they are used on their queues; see
/// ``NSManagedObjectContext/checksConfinement``.
///
/// Set once, before the first context is made, or by the program. It is read at every access, so it is a plain
/// variable.
@exclusivity(unchecked) nonisolated(unsafe) var confinementIsChecked = false
