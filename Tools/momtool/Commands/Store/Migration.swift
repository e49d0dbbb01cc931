import DataModels
import Foundation
import ManagedObjects
import PropertyLists

/// A migration of a store or of a copy, and its result.
struct Migration {
  let store: String
  let source: NSManagedObjectModel
  let target: NSManagedObjectModel
  /// The mapping model; nil for an inferred one.
  let mapping: NSMappingModel?
  /// The name of the store's type.
  private let type: String

  init(
    store: String, source: NSManagedObjectModel, target: NSManagedObjectModel,
    mapping: NSMappingModel?
  ) {
    (self.store, self.source, self.target, self.mapping) = (store, source, target, mapping)
    type = SQLiteImage.storeType(of: URL(fileURLWithPath: store)) ?? NSSQLiteStoreType
  }

  /// Migrates a copy, and closes it. If this fails, the caller must remove the copy.
  ///
  /// - Returns: The number of objects of each entity in the copy.
  func runOnCopy(_ copy: URL) throws -> [(String, Int)] {
    let progress = Progress(totalUnitCount: 1)
    let interruption = Interruption(cancelling: progress)
    defer { withExtendedLifetime(interruption) {} }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: target)
    try trouble(draft: copy.deletingLastPathComponent()) {
      try coordinator.replacePersistentStore(
        at: copy, withPersistentStoreFrom: URL(fileURLWithPath: store), ofType: type)
    }
    return try run(copy, progress, draft: copy.deletingLastPathComponent())
  }

  /// Migrates a store in place.
  ///
  /// - Returns: The number of objects of each entity after the migration.
  /// - Throws: The exit status for findings when the store can't be migrated, or for trouble when there is not enough
  ///   space.
  func run(_ url: URL) throws -> [(String, Int)] {
    let progress = Progress(totalUnitCount: 1)
    let interruption = Interruption(cancelling: progress)
    defer { withExtendedLifetime(interruption) {} }
    return try run(url, progress)
  }

  private func run(
    _ url: URL, _ progress: Progress, draft: URL? = nil
  ) throws -> [(String, Int)] {
    var options: [AnyHashable: Any] = [
      MomKitMigrationProgressOption: progress, NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
      MomKitMigrationSourceModelOption: source,
    ]
    if let mapping { options[MomKitMigrationMappingModelOption] = mapping }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: target)
    try trouble(draft: draft) {
      try coordinator.addPersistentStore(
        ofType: type, configurationName: nil, at: url, options: options)
    }
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
    return try target.entities.filter { !$0.isAbstract }.compactMap(\.name).sorted().map { name in
      let request = NSFetchRequest<NSManagedObject>(entityName: name)
      request.includesSubentities = false
      return (name, try context.count(for: request))
    }
  }

  /// Reports Core Data's errors as a sentence.
  ///
  /// - Parameter draft: The folder of a copy in progress, which nobody knows.
  private func trouble(draft: URL?, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as NSError {
      guard error.code != NSMigrationCancelledError else {
        Diagnostics.report(
          Diagnostic("the migration was interrupted; nothing was changed", path: store))
        throw ExitStatus.interrupted
      }
      let sentence = Self.sentence(error)
      let message = draft.flatMap { NewFile.withoutDraft(sentence, $0) } ?? sentence
      Diagnostics.report(Diagnostic(message, path: store))
      throw Self.isOfTheDisk(error) ? ExitStatus.trouble : ExitStatus.findings
    }
  }

  /// Whether the error means that the disk is full or read-only.
  private static func isOfTheDisk(_ error: NSError) -> Bool {
    var next: NSError? = error
    for _ in 0..<8 {
      guard let current = next else { return false }
      if current.domain == "NSSQLiteErrorDomain", [8, 10, 13, 14].contains(current.code & 0xFF) {
        return true
      }
      if current.domain == NSCocoaErrorDomain, (512...642).contains(current.code) { return true }
      if current.domain == NSPOSIXErrorDomain { return true }
      next = current.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    return false
  }

  private static func sentence(_ error: NSError) -> String {
    var text = error.localizedDescription
    if let entity = error.userInfo["entity"] as? String, !entity.isEmpty {
      let property =
        error.userInfo["attribute"] as? String ?? error.userInfo["relationship"] as? String
      text += " (\(entity)\(property.map { ".\($0)" } ?? ""))"
    }
    return "\(text) [\(error.code)]"
  }
}

/// Makes terminating signals cancel a piece of work for as long as the object exists: the work is rolled back, and the
/// command exits normally.
final class Interruption {
  private let number: Int

  init(cancelling progress: Progress) {
    number = EndingSignals.beginCancelling { progress.cancel() }
  }

  deinit { EndingSignals.stopCancelling(number) }
}
