import CompiledModel
import ManagedModel
import ModelSource

extension CompilerVintage {
  /// Takes away what compilers of this age lost, so that the output is theirs.
  ///
  /// Those of 32 bits compiled every fetch request as if its limits and flags hadn't been set.
  ///
  /// - Returns: A warning for each thing that was taken away.
  func dropWhatItsCompilersDid(
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
      request.storedFetchLimit = 0
      request.storedFetchBatchSize = 0
      request.fetchFlags = standard.fetchFlags
      return SourceDiagnostic(
        .version, severity: .warning, path: path, entity: name,
        message: "compilers of the age \(rawValue) lost a fetch request's limits and flags, and so"
          + " does this")
    }
  }
}
