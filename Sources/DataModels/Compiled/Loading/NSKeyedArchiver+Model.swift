import Foundation
import PropertyLists

// Foundation's classes can't carry a model on Linux: they overflow the stack on every circle of
// references. These overloads, whose parameters are the model's own type, are preferred to
// Foundation's wherever a program archives a model.

extension NSKeyedArchiver {
  /// Archives a model, in the form of a compiled model.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - requiresSecureCoding: Makes no difference: models are always archived for secure coding.
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

  /// Archives a model, in the form of a compiled model.
  ///
  /// - Returns: Empty data when it can't be archived; the form of this method that throws says why.
  public class func archivedData(withRootObject model: NSManagedObjectModel) -> Data {
    (try? archivedData(withRootObject: model, requiringSecureCoding: true)) ?? Data()
  }
}

extension NSKeyedUnarchiver {
  /// Reads a model of its archive.
  ///
  /// - Parameters:
  ///   - type: The model's class.
  ///   - data: A compiled model's bytes.
  /// - Throws: ``ModelFileError`` that says what is wrong with the bytes, and where.
  public class func unarchivedObject(
    ofClass type: NSManagedObjectModel.Type, from data: Data
  ) throws -> NSManagedObjectModel? {
    try ModelFile.model(fromBytes: Array(data))
  }
}
