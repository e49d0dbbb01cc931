import DataModels
import Foundation
import ModelSource

/// Reads a mapping model at a path, either compiled or as source.
enum MappingInput {
  /// Whether a path is that of a mapping model, judged by its name.
  static func isMapping(_ path: String) -> Bool {
    URL(fileURLWithPath: path).pathExtension == "cdm" || isSource(path)
  }

  /// Whether a path is that of the source of a mapping model.
  static func isSource(_ path: String) -> Bool {
    let url = URL(fileURLWithPath: path)
    return url.pathExtension == "xcmappingmodel"
      || url.lastPathComponent == MappingSource.fileName
  }

  /// Reads the mapping model; a source is compiled, and its warnings are reported.
  static func mapping(at path: String) throws -> NSMappingModel {
    guard isSource(path) else {
      let bytes = try InputFile.bytes(at: path)
      guard !bytes.isEmpty else {
        throw Diagnostic("it is empty: expected a mapping model (.cdm)", path: path)
      }
      return try MappingArchive.decode(bytes)
    }
    let output = try MappingCompiler(source: URL(fileURLWithPath: path), path: path).compile()
    output.diagnostics.forEach { Diagnostics.report($0) }
    return output.mapping
  }
}
