import DataModels

extension CompilerVintage {
  /// Creates the vintage of the compiler in a release of Xcode, such as `9.4`; nil when the text is not a release.
  ///
  /// A compiler's output also depended on the system, so that some files of a release are of the previous or next
  /// vintage.
  public init?(xcode release: String) {
    let parts = release.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...3).contains(parts.count), !parts.contains(nil),
      let major = parts[0], (1...99).contains(major)
    else { return nil }
    let minor = parts.count > 1 ? parts[1] ?? 0 : 0
    self =
      switch (major, minor) {
      case (...6, _): .xcode6
      case (7, _): .xcode7
      case (8, _): .xcode8
      case (9...11, _): .xcode9
      case (12, _), (13, ..<4): .xcode12
      default: .modern
      }
  }
}

extension CompilerVintage {
  /// Removes what compilers of this vintage ignored, so that the output matches theirs.
  ///
  /// 32-bit compilers compiled every fetch request as if its limits and flags had not been set.
  ///
  /// - Returns: A warning for each removed setting.
  func dropAsOlderCompilersDid(
    from model: NSManagedObjectModel, named version: String, in package: ModelPackage
  ) -> [SourceDiagnostic] {
    guard self == .xcode6 || self == .xcode7 else { return [] }
    let path = package.versions.first { $0.name == version }?.path ?? package.name
    return model.fetchRequestTemplatesByName.keys.sorted().compactMap { name in
      guard let request = model.storedTemplates[name] else { return nil }
      let standard = NSFetchRequest<NSFetchRequestResult>()
      guard
        request.fetchLimit != 0 || request.fetchBatchSize != 0
          || request.fetchFlags != standard.fetchFlags
      else { return nil }
      request.fetchLimit = 0
      request.fetchBatchSize = 0
      request.fetchFlags = standard.fetchFlags
      return SourceDiagnostic(
        .version, severity: .warning, path: path, entity: name,
        message: "compilers of the vintage \(rawValue) dropped a request's limits and flags, and so"
          + " does this one")
    }
  }
}
