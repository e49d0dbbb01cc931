/// The port of sources that are compiled together, or know one another.
public struct SourcePort {
  /// A source as it is to be compiled.
  public struct Result {
    /// Where it lies, from the package's folder.
    public var path: String
    /// Its text.
    public var text: String
    /// Whether it needs OpenCombine.
    public var needsCombine: Bool
    /// Whether it needs stand-ins for the module `os`.
    public var needsOS: Bool
  }

  /// The sources.
  public var results: [Result]
  /// What was rewritten, and what is left.
  public var notes: [PortNote]
  /// The classes that the sources have now, and the build is to generate no more, by their modules.
  public var writtenClasses: [String: Set<String>] = [:]

  /// Ports sources; each with what is known of its target. `models` are the texts of the package's data models.
  public init(
    _ files: [SourceFile], models: [String] = [],
    options: (SourceFile) -> PortOptions = { _ in PortOptions() }
  ) {
    let index = PackageIndex(files, models: models)
    let rewriters = files.map { SourceRewriter($0, in: index, options: options($0)) }
    for rewriter in rewriters { rewriter.rewrite() }
    for rewriter in rewriters { rewriter.moveMembers(into: rewriters) }
    for (module, members) in Dictionary(grouping: rewriters, by: \.file.module) {
      writtenClasses[module] = SourceRewriter.writeGeneratedClasses(of: members)
    }
    results = rewriters.map {
      Result(
        path: $0.file.path, text: $0.result, needsCombine: $0.standIns.contains(.combine),
        needsOS: $0.standIns.contains(.os))
    }
    notes = rewriters.flatMap(\.notes)
  }
}
