import Foundation
import ModelSource
import MomKit

/// Passes arbitrary bytes to the source reader. Whatever is accepted must be written, read again with the same
/// hashes, compiled, and turned into classes, without trapping.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSource(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let data = Data(bytes: start, count: count)
  fuzzMapping(data)
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
  for vintage in CompilerVintage.allCases {
    let options = ModelArchiveOptions(stamp: .omitted, vintage: .vintage(vintage))
    guard let bytes = try? ModelArchive.encode(source.model, options: options) else { continue }
    guard let compiled = try? ModelArchive.decode(bytes),
      compiled.entityVersionHashesByName == source.model.entityVersionHashesByName
    else {
      preconditionFailure("not the same model when compiled: \(xml)")
    }
  }
  for language in ClassGenerationOptions.Language.allCases {
    let options = ClassGenerationOptions(language: language, selection: .all)
    _ = ClassGenerator(source, modelName: "Model", options: options).files
  }
  return 0
}

/// The source and destination model of mappings.
private let model: NSManagedObjectModel = {
  let text = """
    <model><entity name="Order"><attribute name="total" attributeType="Double"/>
    <relationship name="customer" maxCount="1" destinationEntity="Customer"/></entity>
    <entity name="Customer"/></model>
    """
  guard let source = try? SourceModel(data: Data(text.utf8)) else {
    preconditionFailure("the fuzzer's own model can't be read")
  }
  return source.model
}()

/// Compiles the bytes as a mapping model's source. The result must be readable.
private func fuzzMapping(_ data: Data) {
  guard let source = try? MappingSource(data: data),
    let compiled = try? MappingCompiler(source, from: model, to: model).compile(),
    let bytes = compiled.files.files.first?.bytes
  else { return }
  guard let again = try? MappingArchive.decode(bytes),
    again.entityMappings.count == source.entityMappings.count
  else {
    preconditionFailure("a mapping compiled here is refused")
  }
}
