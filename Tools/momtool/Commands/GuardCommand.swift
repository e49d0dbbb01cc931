import ArgumentParser
import Foundation
import ModelEvolution
import ModelSource

/// `momtool guard`: protects released versions.
struct GuardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "guard",
    abstract: "Fails when a released model version was changed, removed or renamed.",
    discussion: """
      Compares bundles with their state in a git revision (read from git, without a checkout) or in \
      a folder. A released version must not be changed, removed or renamed; the current version must \
      not move back; and a new version must be the current one. Changes that no version hash covers, \
      such as default values and delete rules, are reported only with --strict.

      Without paths, every .xcdatamodeld in the revision is checked, and every frozen SwiftData \
      schema written by generate (Swift files with "Schema" in their names), whose hashes and code \
      must not change. New files are fine.

      EXAMPLES
        momtool guard --against origin/main
        momtool guard --against v1.2 App/Shop.xcdatamodeld --strict --format github
        momtool guard --against ../released App/Shop.xcdatamodeld
        momtool guard --against origin/main --staged

      As a job of GitHub Actions, on any Linux machine:
        - uses: actions/checkout@v4
          with: { fetch-depth: 0 }
        - run: momtool guard --against origin/${{ github.base_ref }} --format github

      The exit status is 1 if there are findings.
      """)

  /// The format of the findings.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, json, markdown, github
  }

  @Option(
    help: ArgumentHelp(
      "The release: a git revision or a folder.", valueName: "revision|folder"))
  var against: String

  @Argument(help: "The bundles to check, or files inside them.", completion: .file())
  var paths: [String] = []

  @Flag(
    help:
      "Judge what is staged for the next commit instead of the working tree, as a pre-commit hook.")
  var staged = false

  @Flag(help: "Also report changes that no version hash covers.")
  var strict = false

  @Option(help: "The output format: text, json, markdown, or github for annotations.")
  var format = Format.text

  @OptionGroup var colors: ColorOptions

  func validate() throws {
    if let path = paths.first(where: { $0.hasPrefix("git:") }) {
      throw ValidationError(
        "guard judges the working tree, or with --staged what is staged; give the path alone, without 'git:': \(path)"
      )
    }
    if staged, isAgainstFolder {
      throw ValidationError("--staged needs a git revision to compare with.")
    }
  }

  func run() throws {
    let place = try InputReader.reported(against) { try GuardedPlace(isFolder: isAgainstFolder) }
    let (named, others) = try InputReader.reported(against) { try releasedBundles(place) }
    let schemas = try InputReader.reported(against) { try releasedSchemas(place) }
    if named.isEmpty, schemas?.isEmpty ?? true, paths.isEmpty {
      let nothing = "the release contains neither an .xcdatamodeld nor a frozen schema"
      // A folder given explicitly must contain a release; a revision needn't.
      guard !isAgainstFolder else {
        Diagnostics.report(Diagnostic(nothing, path: against))
        throw ExitStatus.trouble
      }
      Diagnostics.report(Diagnostic(warning: nothing, path: against))
    }
    var hasTrouble = false
    let known = named.filter(\.isThere) + others
    let missing = known.filter(isMissing)
    let moved = try InputReader.reported(against) {
      try missing.isEmpty
        ? [:]
        : MovedBundles(
          missing.map { ($0.releasedPath, $0.input) }, in: place, isStaged: staged,
          except: Set(known.map(\.releasedPath)),
          named: Set(named.filter { !$0.isThere }.map(\.releasedPath)), outside: against
        ).places
    }
    let released = named.compactMap { bundle -> Released? in
      // Named where it is now.
      guard !bundle.isThere,
        let former = missing.first(where: { moved[$0.releasedPath] == bundle.releasedPath })
      else { return bundle }
      return named.contains { $0.releasedPath == former.releasedPath } ? nil : former
    }
    let bundles =
      try released.map { bundle in
        try report(
          on: bundle, movedTo: moved[bundle.releasedPath].map(place.shown),
          hasTrouble: &hasTrouble)
      } + (schemas?.reports() ?? [])
    try write(GuardReport(bundles))
    if hasTrouble { throw ExitStatus.trouble }
    if !GuardReport(bundles).isClean { throw ExitStatus.findings }
  }

  /// A released bundle and its current location.
  private struct Released {
    let path: String
    /// Its path in the release, relative to the folder that has all bundles.
    let releasedPath: String
    /// The input from which the released bundle is read.
    let input: String
    /// Whether it existed in the release.
    let isThere: Bool
    /// The input that reads it from git's index, if that is judged, or if a sparse checkout excludes it from the working
    /// tree; otherwise nil.
    var indexInput: String? = nil
  }

  /// Whether the release is a folder rather than a git revision.
  private var isAgainstFolder: Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: against, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  /// The bundles among the given paths, each once.
  private var bundlePaths: [String] {
    var seen: Set<String> = []
    return paths.filter { !$0.hasSuffix(".swift") }.map(Self.guarded).filter {
      seen.insert($0).inserted
    }
  }

  /// What is guarded for a path: for one inside a model the model, since hooks name the files that were changed.
  private static func guarded(_ path: String) -> String {
    for suffix in [".xcdatamodeld", ".momd", ".xcdatamodel"] {
      if let range = path.range(of: suffix + "/") { return path[..<range.lowerBound] + suffix }
    }
    // Shells complete folder names with a trailing slash.
    return path.hasSuffix("/") && path.count > 1 ? String(path.dropLast()) : path
  }

  private var schemaPaths: [String] { paths.filter { $0.hasSuffix(".swift") } }

  private func releasedSchemas(_ place: GuardedPlace) throws -> ReleasedSchemas? {
    if schemaPaths.isEmpty, !paths.isEmpty { return nil }
    guard let repository = place.repository else {
      return try ReleasedSchemas(inFolder: against, only: schemaPaths)
    }
    return try ReleasedSchemas(
      in: repository, at: against, only: schemaPaths, isStaged: staged, place)
  }

  /// The bundles to check and, if they are some of a revision's and not all where they were, its others.
  private func releasedBundles(
    _ place: GuardedPlace
  ) throws -> (named: [Released], others: [Released]) {
    if bundlePaths.isEmpty, !paths.isEmpty { return ([], []) }
    guard let repository = place.repository else { return (try bundlesInFolder(), []) }
    let commit = try repository.commit(against)
    let known = try repository.paths(endingIn: ".xcdatamodeld", in: commit)
    func indexInput(_ inside: String, _ path: String) throws -> String? {
      if staged { return try stagedInput(inside, repository) }
      guard !FileManager.default.fileExists(atPath: path), try repository.isLeftOut(inside) else {
        return nil
      }
      // Reading a stage includes files without conflicts.
      return "git::2:\(inside)"
    }
    func released(_ path: String) throws -> Released {
      let shown = place.shown(path)
      return Released(
        path: shown, releasedPath: path, input: "git:\(commit):\(path)", isThere: true,
        indexInput: try indexInput(path, shown))
    }
    if paths.isEmpty { return (try known.map(released), []) }
    let named = try bundlePaths.map { path in
      let inside = try repository.path(of: URL(fileURLWithPath: path))
      let isThere = known.contains(inside) || (try? repository.files(at: inside, in: commit)) != nil
      if !isThere, let submodule = try repository.submodule(around: inside, in: commit) {
        throw Diagnostic(
          "the submodule '\(submodule)' is a separate repository; run momtool there", path: path)
      }
      let staging = try indexInput(inside, path)
      guard isThere || staging != nil || !staged && FileManager.default.fileExists(atPath: path)
      else {
        throw Diagnostic(
          "it \(staged ? "is neither staged" : "exists neither here") nor in \(against)", path: path
        )
      }
      return Released(
        path: path, releasedPath: inside, input: "git:\(commit):\(inside)", isThere: isThere,
        indexInput: staging)
    }
    guard named.contains(where: { !$0.isThere || isMissing($0) }) else { return (named, []) }
    let others = Set(known).subtracting(named.map(\.releasedPath))
    return (named, try others.sorted().map(released))
  }

  /// The input that reads what is staged of a bundle; nil if nothing is.
  private func stagedInput(_ inside: String, _ repository: GitRepository) throws -> String? {
    try repository.entries(at: inside, inStage: 0).isEmpty ? nil : "git::\(inside)"
  }

  /// Whether a released bundle isn't where it was.
  private func isMissing(_ bundle: Released) -> Bool {
    bundle.indexInput == nil && (staged || !FileManager.default.fileExists(atPath: bundle.path))
  }

  private func bundlesInFolder() throws -> [Released] {
    guard access(against, R_OK | X_OK) == 0 else {
      throw Diagnostic("can't read it: \(String(cString: strerror(errno)))", path: against)
    }
    if paths.isEmpty {
      return MovedBundles.bundles(below: against).map {
        Released(path: $0, releasedPath: $0, input: "\(against)/\($0)", isThere: true)
      }
    }
    return try bundlePaths.map { path in
      let name = URL(fileURLWithPath: path).lastPathComponent
      // A bundle given explicitly is the release, whatever its name.
      let isBundle = ["xcdatamodeld", "momd"].contains(
        URL(fileURLWithPath: against).pathExtension)
      let candidates =
        isBundle
        ? [against]
        : ["\(against)/\(path)", "\(against)/\(name)"].filter {
          FileManager.default.fileExists(atPath: $0)
        }
      guard candidates.first != nil || FileManager.default.fileExists(atPath: path) else {
        throw Diagnostic("it exists neither here nor in \(against)", path: path)
      }
      return Released(
        path: path, releasedPath: path, input: candidates.first ?? "",
        isThere: candidates.first != nil)
    }
  }

  private func report(
    on bundle: Released, movedTo newPath: String?, hasTrouble: inout Bool
  ) throws -> GuardReport.Bundle {
    guard bundle.isThere else {
      // If the user names a bundle, something is expected to be compared.
      Diagnostics.report(
        Diagnostic(warning: "it is not in \(against), so nothing was compared", path: bundle.path))
      return GuardReport.Bundle(path: bundle.path, findings: [])
    }
    var path = bundle.path
    var indexInput = bundle.indexInput
    if isMissing(bundle) {
      if staged, let newPath {
        let repository = try GitRepository(containing: GuardedPlace.here)
        indexInput = try stagedInput(
          try repository.path(of: URL(fileURLWithPath: newPath)), repository)
      }
      guard let place = newPath, !staged || indexInput != nil else {
        return GuardReport.Bundle(
          path: path,
          findings: [
            GuardFinding(
              .bundleRemoved, version: "", "the released bundle is gone, with all its versions"
            )
          ])
      }
      Diagnostics.report(Diagnostic(warning: "the bundle is now at \(place)", path: path))
      path = place
    }
    let comparison = try InputReader.reported(path) {
      try BundleComparison(old: bundle.input, new: indexInput ?? path)
    }
    if !comparison.refusals.isEmpty {
      comparison.refusals.forEach { Diagnostics.report($0) }
      hasTrouble = true
    }
    var findings = ReleaseGuard(
      released: comparison.old, now: comparison.new, isStrict: strict
    ).findings
    if !comparison.newProblems.isEmpty {
      // These describe the cause.
      findings.removeAll { $0.kind == .noCurrentVersion }
      findings += comparison.newProblems.map { GuardFinding(.noCurrentVersion, version: "", $0) }
    }
    // A version that can't be read has not been removed.
    let unread = Set(comparison.refusals.map(\.path))
    return GuardReport.Bundle(
      path: path,
      findings: findings.filter { finding in
        !unread.contains("\(path)/\(finding.version).xcdatamodel/contents")
      })
  }

  /// The line of the entity that a finding concerns, or of the model.
  private static func line(of finding: GuardFinding, in file: String) -> Int? {
    guard finding.kind == .versionChanged,
      let data = try? Data(contentsOf: URL(fileURLWithPath: file)),
      let document = try? SourceDocument(data: data, path: file)
    else { return nil }
    let entity = document.root.children(named: "entity").first {
      $0["name"] == finding.path?.entityName
    }
    return document.location(of: entity ?? document.root)?.line
  }

  private func write(_ report: GuardReport) throws {
    switch format {
    case .text:
      try StandardOutput.writeReport(report.text(paint: TerminalPaint.report(isOn: colors.isOn)))
    case .markdown: try StandardOutput.writeReport(report.markdown)
    case .json:
      try StandardOutput.writeReport(
        JSONReport.object(["schemaVersion": .integer(1), "report": report.json]).document)
    case .github:
      let lines = report.bundles.flatMap { bundle in
        bundle.groups.map { finding in
          GitHubAnnotation(
            level: .error, path: bundle.place(of: finding),
            line: Self.line(of: finding, in: bundle.place(of: finding)), title: "momtool guard",
            message: finding.message
          ).description + "\n"
        }
      }
      try StandardOutput.writeReport(lines.joined())
    }
  }
}
