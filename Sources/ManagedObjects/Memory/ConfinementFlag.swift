/// Whether contexts and their objects check that they are used on their queues; see
/// ``NSManagedObjectContext/checksConfinement``.
///
/// Set once, before the first context is made, or by the program; asked at every access, so it is
/// nothing but a variable.
@exclusivity(unchecked) nonisolated(unsafe) var confinementIsChecked = false
