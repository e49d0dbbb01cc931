/// Observers of a context: of whether it has changes, and of its unsaved objects.
extension NSManagedObjectContext {
  /// Makes the context's observers compare what they observe: objects may have become unsaved ones, or be saved now.
  ///
  /// This is called where the lists of unsaved objects agree with the objects' states.
  ///
  /// - Parameter isWithinEvent: whether there may be many more changes before the event ends: then the sets of objects, which
  ///   would have to be made for each of them, aren't compared yet.
  @inline(__always)
  final func tellObservers(isWithinEvent: Bool = false) {
    if unsaved.isObserved.isSet { compareObserved(isWithinEvent) }
  }

  @inline(never)
  private final func compareObserved(_ isWithinEvent: Bool) {
    #if !canImport(ObjectiveC)
      ObjectObservers.shared.notify(of: self, onlySingleValues: isWithinEvent)
    #endif
  }
}
