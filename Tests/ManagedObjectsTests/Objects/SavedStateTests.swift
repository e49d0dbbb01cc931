import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// What an object answers about itself in the methods that are called around a save.
@Suite struct SavedStateTests {
  final class SavedNote: NSManagedObject {
    override func didSave() {
      super.didSave()
      let kind = isInserted ? "inserted" : isDeleted ? "deleted" : isUpdated ? "updated" : "neither"
      let context = managedObjectContext?.userInfo["log"] as? Log
      context?.lines.append("\(kind) \(value(forKey: "name") ?? "nil")")
    }

    override func prepareForDeletion() {
      super.prepareForDeletion()
      guard let folder = value(forKey: "folder") as? NSManagedObject,
        let notes = folder.value(forKey: "notes") as? Set<NSManagedObject>
      else { return }
      if notes.filter({ !$0.isDeleted }).isEmpty { managedObjectContext?.delete(folder) }
    }
  }

  final class Log { var lines: [String] = [] }

  private func context() throws -> (NSManagedObjectContext, Log) {
    let notes = SmallModel.relationship("notes", many: true)
    let folder = SmallModel.relationship("folder")
    let folders = SmallModel.entity("Folder", [SmallModel.text("name"), notes])
    let note = SmallModel.entity("Note", [SmallModel.text("name"), folder])
    note.managedObjectClassName = ManagedObjects.NSStringFromClass(SavedNote.self)
    SmallModel.link((notes, of: folders), (folder, of: note))
    let context = SmallModel.context(
      try TestStore.coordinator(SmallModel.model(folders, note)))
    let log = Log()
    context.userInfo["log"] = log
    return (context, log)
  }

  @Test func afterASaveItTellsWhatWasSaved() throws {
    let (context, log) = try context()
    let note = SmallModel.new("Note", ["name": "a"], in: context)
    try context.save()
    #expect(!note.isInserted && !note.isUpdated && !note.isDeleted)
    note["name"] = "b"
    try context.save()
    context.delete(note)
    try context.save()
    #expect(log.lines == ["inserted a", "updated b", "deleted b"])
    #expect(!note.isDeleted)
    #expect(note.managedObjectContext == nil)
    #expect(!context.hasChanges)
  }

  final class Flagged: NSManagedObject {
    override func didSave() {
      super.didSave()
      if managedObjectContext?.name == "deleting" { managedObjectContext?.delete(self) }
      setValue("saved", forKey: "name")
    }
  }

  /// What is deleted has nothing to be saved any more, whatever it does when it is told so.
  @Test(arguments: [false, true]) func aDeletedObjectIsChangedInVain(deletesItself: Bool) throws {
    let note = SmallModel.entity("Note", [SmallModel.text("name")])
    note.managedObjectClassName = ManagedObjects.NSStringFromClass(Flagged.self)
    let folder = try TemporaryFolder()
    let coordinator = try SmallModel.coordinator(SmallModel.model(note), folder.file("a.sqlite"))
    let context = SmallModel.context(coordinator)
    let flagged = SmallModel.new("Note", ["name": "a"], in: context)
    try context.save()
    try context.save()
    if deletesItself { context.name = "deleting" }
    context.delete(flagged)
    try context.save()
    #expect(!context.hasChanges)
    context.name = nil
    SmallModel.new("Note", ["name": "b"], in: context)
    try context.save()
    #expect(try SmallModel.all("Note", SmallModel.context(coordinator)).count == 1)
  }

  /// The last note takes its folder along.
  @Test func whatIsBeingDeletedSaysSo() throws {
    let (context, _) = try context()
    let folder = SmallModel.new("Folder", in: context)
    let notes = ["a", "b"].map {
      SmallModel.new("Note", ["name": $0, "folder": folder], in: context)
    }
    try context.save()
    context.delete(notes[0])
    try context.save()
    #expect(!folder.isDeleted)
    context.delete(notes[1])
    #expect(folder.isDeleted)
    try context.save()
    #expect(try SmallModel.all("Folder", context).isEmpty)
  }
}
