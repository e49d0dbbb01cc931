import Foundation
import PropertyLists

// Foundation's archivers can't handle models on Linux: they overflow the stack on every reference cycle. These
// overloads, which take the model type, are preferred to Foundation's wherever a program archives a model.

extension NSKeyedArchiver {
  /// Archives a model in the format of a compiled model.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - requiresSecureCoding: Has no effect: models are always archived for secure coding.
  /// - Throws: ``ModelFileError`` when it can't be archived.
  public class func archivedData(
    withRootObject model: NSManagedObjectModel, requiringSecureCoding requiresSecureCoding: Bool
  ) throws -> Data {
    do {
      return Data(try ModelArchive.encode(model))
    } catch {
      throw ModelFileError(error, path: nil)
    }
  }

  /// Archives a model in the format of a compiled model.
  ///
  /// - Returns: Empty data when it can't be archived; the throwing variant of this method reports the reason.
  public class func archivedData(withRootObject model: NSManagedObjectModel) -> Data {
    (try? archivedData(withRootObject: model, requiringSecureCoding: true)) ?? Data()
  }
}

extension NSKeyedUnarchiver {
  /// Decodes a model from its archive.
  ///
  /// - Parameters:
  ///   - type: The model's class.
  ///   - data: A compiled model's bytes.
  /// - Throws: ``ModelFileError`` with the fault and its location.
  public class func unarchivedObject(
    ofClass type: NSManagedObjectModel.Type, from data: Data
  ) throws -> NSManagedObjectModel? {
    try ModelFile.model(fromBytes: Array(data))
  }
}
