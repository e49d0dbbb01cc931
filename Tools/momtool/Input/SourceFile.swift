import CompiledModel
import Foundation
import ModelSource

/// A source's file by itself: the `contents` of a version, under that name or, as git hands files
/// over, under any other.
enum SourceFile {
  /// Whether a path names such a file, by its place, else by how it begins.
  static func isSource(_ path: String) -> Bool {
    let url = URL(fileURLWithPath: path)
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory),
      !isDirectory.boolValue
    else { return false }
    if ["contents", "elements"].contains(url.lastPathComponent),
      url.deletingLastPathComponent().pathExtension == "xcdatamodel"
    {
      return true
    }
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    let start = String(decoding: (try? file.read(upToCount: 512)) ?? Data(), as: UTF8.self)
    return start.contains("<model ") || start.contains("<model>")
  }

  /// The model in such a file.
  ///
  /// - Throws: `ModelSourceError`, which has a line for each error in the source.
  static func model(at path: String) throws -> LoadedModel {
    let package = try ModelPackage(at: URL(fileURLWithPath: path), path: path)
    guard let version = package.versions.first else {
      throw Diagnostic("it holds no model", path: path)
    }
    return LoadedModel(path: path, model: try SourceModel(version: version).model)
  }
}
