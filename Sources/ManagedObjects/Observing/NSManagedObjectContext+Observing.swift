/// Observers of a context: of whether it has changes, and of its unsaved objects.
extension NSManagedObjectContext {
  /// Makes the context's observers compare what they observe: objects may have become unsaved ones, or be saved now.
  ///
  /// This is called where the lists of unsaved objects agree with the objects' states.
  @inline(__always)
  final func tellObservers() {
    if unsaved.isObserved.isSet { compareObserved() }
  }

  @inline(never)
  private final func compareObserved() {
    #if !canImport(ObjectiveC)
      ObjectObservers.shared.notify(of: self)
    #endif
  }
}
