import Foundation
import ModelEvolution
import ModelSource

/// The frozen SwiftData schemas of a release: Swift files that have "Schema" in their name and begin with a pin. A
/// schema that was moved is identified by its name.
struct ReleasedSchemas {
  private struct File {
    let path: String
    let pin: SchemaPin
    /// The text in git's index, if that is judged, or if a sparse checkout excludes the file from the working tree.
    var indexed: String? = nil
    /// Whether the index is judged and has no such file.
    var isUnstaged = false
  }

  private let files: [File]
  /// The paths of files given by the user that aren't in the release.
  private let others: [String]
  /// The release's name.
  private let release: String
  /// Where the schemas are now; nil in and below the current folder.
  private let place: GuardedPlace?

  /// Reads the schemas in a revision, with their paths relative to the current folder.
  ///
  /// - Parameter paths: The files to examine; empty for all.
  /// - Throws: ``Diagnostic`` for a damaged schema, and for a path that exists neither now nor in the revision.
  init(
    in repository: GitRepository, at revision: String, only paths: [String],
    isStaged: Bool, _ place: GuardedPlace
  ) throws {
    self.place = place
    release = revision
    let wanted = try paths.map {
      (path: $0, inside: try repository.path(of: URL(fileURLWithPath: $0)))
    }
    let insides = Set(wanted.map(\.inside))
    let all = try repository.entries(at: "", in: revision)
    let entries = all.filter {
      insides.isEmpty ? Self.isCandidate($0.path) : insides.contains($0.path)
    }
    let contents = try repository.contents(of: entries.map(\.id))
    let staged = isStaged ? try Self.staged(in: repository, and: insides) : [:]
    var files: [File] = try zip(entries, contents).compactMap { entry, data in
      guard var file = try Self.file(place.shown(entry.path), data) else { return nil }
      if isStaged {
        file.indexed =
          staged[entry.path]
          ?? staged.sorted { $0.key < $1.key }.map(\.value).first { text in
            (try? SchemaPin(readingFrom: text))?.name == file.pin.name
          }
        file.isUnstaged = file.indexed == nil
        return file
      }
      if !FileManager.default.fileExists(atPath: file.path), try repository.isLeftOut(entry.path) {
        // Reading a stage includes files without conflicts.
        file.indexed = try repository.files(at: entry.path, in: ":2")[""]
          .map { String(decoding: $0, as: UTF8.self) }
      }
      return file
    }
    // Named where they are now.
    let there = Set(entries.map(\.path))
    let new = wanted.filter { !there.contains($0.inside) }
    var others: [String] = []
    let gone = try new.isEmpty ? [] : Self.missing(among: all, of: repository, isStaged, place)
    for (path, inside) in new {
      let text = isStaged ? staged[inside] : try? String(contentsOfFile: path, encoding: .utf8)
      guard text != nil || !isStaged && FileManager.default.fileExists(atPath: path) else {
        // Hooks name what was deleted since, too, and what a sparse checkout leaves out may be another's new file.
        if try repository.isLeftOut(inside) || Self.isCommitted(inside, in: repository) { continue }
        throw Diagnostic(
          "it \(isStaged ? "is neither staged" : "exists neither here") nor in \(revision)",
          path: path)
      }
      let name = text.flatMap { try? SchemaPin(readingFrom: $0) }?.name
      guard let former = gone.first(where: { $0.pin.name == name }) else {
        others.append(path)
        continue
      }
      // Its former path leads here, too.
      if insides.contains(former.path) { continue }
      files.append(File(path: path, pin: former.pin, indexed: isStaged ? text : nil))
    }
    self.files = files
    self.others = others
  }

  /// Whether the present commit has a file.
  private static func isCommitted(_ path: String, in repository: GitRepository) -> Bool {
    (try? repository.entries(at: path, in: "HEAD").isEmpty) == false
  }

  /// The schemas of a revision that aren't where they were, with their paths in the repository.
  private static func missing(
    among entries: [GitRepository.Entry], of repository: GitRepository, _ isStaged: Bool,
    _ place: GuardedPlace
  ) throws -> [File] {
    let known = isStaged ? Set(try repository.paths(isStaged: true)) : []
    let missing = try entries.filter { entry in
      guard isCandidate(entry.path) else { return false }
      if isStaged { return !known.contains(entry.path) }
      return try !FileManager.default.fileExists(atPath: place.shown(entry.path))
        && !repository.isLeftOut(entry.path)
    }
    let contents = try repository.contents(of: missing.map(\.id))
    return zip(missing, contents).compactMap { entry, data in try? file(entry.path, data) }
  }

  /// Reads the schemas in a folder, with their paths relative to it.
  init(inFolder folder: String, only paths: [String]) throws {
    place = nil
    release = folder
    let found = paths.isEmpty ? Self.candidates(below: folder) : paths
    var others: [String] = []
    files = try found.compactMap { path in
      let url = URL(fileURLWithPath: folder).appendingPathComponent(path)
      if let data = try? Data(contentsOf: url) { return try Self.file(path, data) }
      guard paths.isEmpty || FileManager.default.fileExists(atPath: path) else {
        throw Diagnostic("it exists neither here nor in \(folder)", path: path)
      }
      if !paths.isEmpty { others.append(path) }
      return nil
    }
    self.others = others
  }

  /// The texts of the Swift files that are staged and may be schemas, or are at some paths, by path.
  private static func staged(
    in repository: GitRepository, and paths: Set<String>
  ) throws -> [String: String] {
    let entries = try repository.entries(at: "", inStage: 0).filter {
      isCandidate($0.path) || paths.contains($0.path)
    }
    let contents = try repository.contents(of: entries.map(\.id))
    return Dictionary(
      zip(entries, contents).map { ($0.path, String(decoding: $1, as: UTF8.self)) },
      uniquingKeysWith: { first, _ in first })
  }

  private static func file(_ path: String, _ data: Data) throws -> File? {
    do {
      return try SchemaPin(readingFrom: String(decoding: data, as: UTF8.self)).map {
        File(path: path, pin: $0)
      }
    } catch {
      throw Diagnostic("\(error)", path: path)
    }
  }

  /// Whether there are no schemas.
  var isEmpty: Bool { files.isEmpty }

  /// The findings for each schema. If the user names a file that isn't in the release, a warning tells so, since
  /// something is expected to be compared.
  func reports() throws -> [GuardReport.Bundle] {
    for path in others {
      Diagnostics.report(
        Diagnostic(warning: "it is not in \(release), so nothing was compared", path: path))
    }
    // Searched once, and only if a file is not at its original path.
    var present: [String: String]?
    return try files.map { file in
      var path = file.path
      if let text = file.indexed {
        return GuardReport.Bundle(path: path, findings: Self.changes(of: file.pin, to: text))
      }
      if file.isUnstaged || !FileManager.default.fileExists(atPath: path) {
        let places = try file.isUnstaged ? [:] : present ?? schemas()
        if !file.isUnstaged { present = places }
        guard let place = places[file.pin.name] else {
          return GuardReport.Bundle(
            path: path,
            findings: [
              GuardFinding(
                .schemaRemoved, version: file.pin.name,
                "the released schema \(file.pin.name) is gone; stores created with it can't be migrated"
              )
            ])
        }
        path = place
      }
      let text = try String(contentsOfFile: path, encoding: .utf8)
      return GuardReport.Bundle(path: path, findings: Self.changes(of: file.pin, to: text))
    }
  }

  private static func changes(of old: SchemaPin, to text: String) -> [GuardFinding] {
    func finding(_ what: String) -> [GuardFinding] {
      [
        GuardFinding(
          .schemaChanged, version: old.name, "the released schema \(old.name) \(what)")
      ]
    }
    let pin: SchemaPin
    do {
      guard let found = try SchemaPin(readingFrom: text) else {
        return finding("has lost the comment that pins its hashes")
      }
      pin = found
    } catch {
      return finding("has a damaged pin: \(error)")
    }
    if pin.name != old.name { return finding("is now called \(pin.name)") }
    let entities = Set(pin.entityHashes.keys).union(old.entityHashes.keys).sorted().filter {
      pin.entityHashes[$0] != old.entityHashes[$0]
    }
    if !entities.isEmpty || pin.checksum != old.checksum {
      return finding("has other version hashes: \(entities.joined(separator: ", "))")
    }
    guard pin.isIntact, pin.codeDigest == old.codeDigest else {
      return finding("was changed: its code differs from what was frozen")
    }
    return []
  }

  // MARK: Finding files

  private static func isCandidate(_ path: String) -> Bool {
    path.hasSuffix(".swift") && path.split(separator: "/").last?.contains("Schema") == true
  }

  private static func candidates(below folder: String) -> [String] {
    guard let walk = FileManager.default.enumerator(atPath: folder) else { return [] }
    var found: [String] = []
    while let path = walk.nextObject() as? String {
      let name = path.split(separator: "/").last ?? ""
      if name == ".git" || name == ".build" {
        walk.skipDescendants()
      } else if isCandidate(path) {
        found.append(path)
      }
    }
    return found.sorted()
  }

  /// The paths of the schemas that are there, by name.
  private func schemas() throws -> [String: String] {
    var places: [String: String] = [:]
    let candidates =
      try place?.repository?.paths(isStaged: false).filter {
        Self.isCandidate($0) && !$0.split(separator: "/").contains(".build")
      }.sorted() ?? Self.candidates(below: ".")
    for inside in candidates {
      let path = place?.shown(inside) ?? inside
      guard let text = try? String(contentsOfFile: path, encoding: .utf8),
        let pin = try? SchemaPin(readingFrom: text)
      else { continue }
      places[pin.name] = path
    }
    return places
  }
}
