import MomKit

/// The actual result of an operation.
enum Outcome: Codable {
  case done
  case failed(code: Int, text: String)
  case found([ObjectName])
  case counted(Int)
  case selected([SelectPlan.Row])
  case showed([ObjectName: ObjectView])

  init(_ error: any Error) {
    if let impossible = error as? Impossible {
      self = .failed(code: 1, text: impossible.what)
      return
    }
    let error = error as NSError
    self = .failed(code: error.code, text: "\(error.domain) \(error.code): \(error)")
  }
}

/// The library returned something that the program never stored.
struct Impossible: Error {
  var what: String
  init(_ what: String) { self.what = what }
}
