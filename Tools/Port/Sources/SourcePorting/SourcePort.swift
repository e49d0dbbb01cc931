/// The port of sources that are compiled together or refer to each other.
public struct SourcePort {
  /// A ported source.
  public struct Result {
    /// The path relative to the package's folder.
    public var path: String
    /// Its text.
    public var text: String
    /// Whether it needs OpenCombine.
    public var needsCombine: Bool
    /// Whether it seems to need publishers of managed objects.
    public var needsPublishers: Bool
    /// Whether it needs the replacements for the module `os`.
    public var needsOS: Bool
  }

  /// The ported sources.
  public var results: [Result]
  /// The notes on what was rewritten and what needs attention.
  public var notes: [PortNote]
  /// The classes that the sources now contain and the build must no longer generate, by module.
  public var writtenClasses: [String: Set<String>] = [:]

  /// Ports sources, each with information about its target. `models` are the texts of the package's data models.
  public init(
    _ files: [SourceFile], models: [String] = [],
    options: (SourceFile) -> PortOptions = { _ in PortOptions() }
  ) {
    let index = PackageIndex(files, models: models)
    let rewriters = files.enumerated().map { number, file in
      SourceRewriter(file, number: number, in: index, options: options(file))
    }
    for rewriter in rewriters { rewriter.rewrite() }
    for rewriter in rewriters { rewriter.moveMembers(into: rewriters) }
    for (module, members) in Dictionary(grouping: rewriters, by: \.file.module) {
      writtenClasses[module] = SourceRewriter.writeGeneratedClasses(of: members)
    }
    results = rewriters.map {
      Result(
        path: $0.file.path, text: $0.result, needsCombine: $0.standIns.contains(.combine),
        needsPublishers: $0.standIns.contains(.publishers), needsOS: $0.standIns.contains(.os))
    }
    notes = rewriters.flatMap(\.notes)
  }
}
