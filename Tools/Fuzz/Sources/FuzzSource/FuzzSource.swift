import Foundation
import MomKit

/// Puts any bytes to the reader of sources; what it takes must be written, read again to the same
/// hashes, compiled, and made classes of, all without a trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSource(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let data = Data(bytes: start, count: count)
  guard let document = try? SourceDocument(data: data, path: "contents") else { return 0 }
  var options = SourceReadingOptions()
  options.ruleGroups = Set(SourceRule.Group.allCases)
  _ = SourceModel.diagnostics(of: document, options: options)
  guard let source = try? SourceModel(document: document) else { return 0 }
  let xml = SourceWriter(source.model).xml
  guard let again = try? SourceModel(data: Data(xml.utf8)),
    again.model.entityVersionHashesByName == source.model.entityVersionHashesByName
  else {
    preconditionFailure("not the same model again: \(xml)")
  }
  _ = try? ModelArchive.encode(source.model)
  for language in ClassGenerationOptions.Language.allCases {
    let options = ClassGenerationOptions(language: language, selection: .all)
    _ = ClassGenerator(source, modelName: "Model", options: options).files
  }
  return 0
}
