import BinaryPlist
import CompiledModel

extension ModelFile {
  func models(_ selection: Selection) throws -> [LoadedModel] {
    [LoadedModel(path: path, model: try ModelArchive.decode(FileBytes.read(path)))]
  }
}
