import Foundation
import MomKit
import SharedModel

/// An error that the client is told, with the status of the answer.
struct Refusal: Error {
  let status: Int
  let answer: ErrorAnswer

  init(_ status: Int, _ message: String, code: Int = 0) {
    self.status = status
    answer = ErrorAnswer(code: code, message: message)
  }

  /// A request that can't be understood.
  static func malformed(_ message: String) -> Refusal { Refusal(400, message) }

  /// A token that this database's history doesn't continue, or no longer.
  static let expired = Refusal(
    410, "The history that the token continues is gone.",
    code: NSPersistentHistoryTokenExpiredError)

  /// Objects that others have changed or deleted.
  init(conflicts: [ErrorAnswer.Conflict]) {
    status = 409
    answer = ErrorAnswer(
      code: NSManagedObjectMergeError, message: "Others have changed or deleted these objects.",
      conflicts: conflicts)
  }

  /// The answer to an error of a fetch or save. What isn't the client's fault is told without details, which may name
  /// the database.
  init(_ error: any Error) {
    let error = error as NSError
    switch error.code {
    case NSManagedObjectValidationError...NSValidationInvalidURIError:
      let all = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
      let messages = all.prefix(10).map { error in
        let key = error.userInfo[NSValidationKeyErrorKey] as? String
        return (key.map { "\($0): " } ?? "") + error.localizedDescription
      }
      self.init(422, messages.joined(separator: " "), code: error.code)
    case NSPersistentHistoryTokenExpiredError:
      self = .expired
    case NSManagedObjectMergeError, NSManagedObjectConstraintMergeError,
      NSManagedObjectReferentialIntegrityError:
      self.init(503, "Others keep changing these objects. Try again.", code: error.code)
    case NSPersistentStoreTimeoutError, NSPersistentStoreSaveError, NSPersistentStoreOpenError:
      self.init(503, "The database doesn't answer as it should. Try again.", code: error.code)
    default:
      self.init(500, "The request failed.", code: error.code)
    }
  }
}
