import ArgumentParser
import Foundation
import MomKit
import SharedModel
import SharingClient

/// Stands for the app: lists and changes the notes of a SQLite store, and synchronizes it.
@main struct SharingApp: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sharing-client", abstract: "Keeps notes in a SQLite store.",
    subcommands: [AddNote.self, ListNotes.self, ChangeNote.self, DeleteNote.self, Sync.self])
}

/// The store, which is created if it doesn't exist.
struct StoreArgument: ParsableArguments {
  @Argument(help: "The store's file.", completion: .file()) var store: String

  var url: URL { URL(fileURLWithPath: store) }

  /// Runs `body` with the app's context, and saves it.
  func withContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
    let context = try NotesStore.container(at: url).newBackgroundContext()
    context.transactionAuthor = "app"
    try context.performAndWait {
      try body(context)
      if context.hasChanges { try context.save() }
    }
  }
}

extension NSManagedObjectContext {
  /// Returns the note whose identifier begins with some letters.
  func note(_ prefix: String) throws -> Note {
    let all = try fetch(Note.fetchRequest())
    let found = all.filter { $0.identifier?.uuidString.hasPrefix(prefix.uppercased()) ?? false }
    guard found.count == 1 else {
      throw ValidationError("\(found.count) notes have identifiers that begin with \(prefix).")
    }
    return found[0]
  }
}

struct AddNote: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Adds a note.")

  @OptionGroup var store: StoreArgument
  @Argument(help: "The note's title.") var title: String
  @Option(help: "The name of its site.") var site: String?
  @Option(help: "The name of a tag; may be repeated.") var tag: [String] = []

  func run() throws {
    try store.withContext { context in
      let note = Note(context: context)
      note.title = title
      if let site {
        let request = Site.fetchRequest()
        request.predicate = NSPredicate(format: "name == %@", site)
        note.site = try context.fetch(request).first ?? Site(context: context)
        note.site?.name = site
      }
      for name in Set(tag) {
        let request = Tag.fetchRequest()
        request.predicate = NSPredicate(format: "name == %@", name)
        let tag = try context.fetch(request).first ?? Tag(context: context)
        tag.name = name
        note.addToTags(tag)
      }
      print(note.identifier?.uuidString ?? "")
    }
  }
}

struct ListNotes: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the notes.")

  @OptionGroup var store: StoreArgument

  func run() throws {
    try store.withContext { context in
      let request = Note.fetchRequest()
      request.sortDescriptors = [
        NSSortDescriptor(key: "title", ascending: true),
        NSSortDescriptor(key: "identifier", ascending: true),
      ]
      for note in try context.fetch(request) {
        let tags = (note.tags as? Set<Tag> ?? []).compactMap(\.name).sorted()
        let parts = [
          note.identifier.map { String($0.uuidString.prefix(8)) }, note.isDone ? "x" : "-",
          note.title, note.site?.name.map { "at \($0)" },
          tags.isEmpty ? nil : "(\(tags.joined(separator: ", ")))",
        ]
        print(parts.compactMap { $0 }.joined(separator: " "))
      }
    }
  }
}

struct ChangeNote: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change", abstract: "Changes a note.")

  @OptionGroup var store: StoreArgument
  @Argument(help: "The beginning of the note's identifier.") var note: String
  @Option(help: "Its new title.") var title: String?
  @Option(help: "Its text.") var text: String?
  @Flag(help: "Marks it as done.") var done = false

  func run() throws {
    try store.withContext { context in
      let note = try context.note(note)
      if let title { note.title = title }
      if let text { note.text = text }
      if done { note.isDone = true }
    }
  }
}

struct DeleteNote: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Deletes a note.")

  @OptionGroup var store: StoreArgument
  @Argument(help: "The beginning of the note's identifier.") var note: String

  func run() throws {
    try store.withContext { context in context.delete(try context.note(note)) }
  }
}

struct Sync: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Exchanges changes with a server.",
    discussion: "The environment variable SHARING_SECRET contains the server's secret.")

  @OptionGroup var store: StoreArgument
  @Option(help: "The server's URL.") var server: String

  func run() async throws {
    guard let url = URL(string: server),
      let secret = ProcessInfo.processInfo.environment["SHARING_SECRET"]
    else { throw ValidationError("The server's URL is invalid, or SHARING_SECRET missing.") }
    let report = try await Synchronizer(storeURL: store.url, server: url, secret: secret).sync()
    print("pushed \(report.pushed), pulled \(report.pulled), conflicts \(report.conflicts)")
  }
}
