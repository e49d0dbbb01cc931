import Foundation
import FoundationNetworking
import SharedModel

/// A client without a store, which tries again after conflicts.
struct Saving: Sendable {
  let url: URL

  /// Adds a word to a note's text, and returns the number of attempts.
  func addUntilSaved(to id: UUID, _ word: String) async throws -> Int {
    var version: Int64 = 1
    var text = ""
    for attempt in 1...100 {
      let question = SaveQuestion(
        client: word, push: UUID(),
        updated: [
          ObjectState(
            entity: "Note", id: id, version: version,
            values: ["text": .string(text.isEmpty ? word : "\(text) \(word)")])
        ])
      var request = URLRequest(url: url.appendingPathComponent("save"))
      request.httpMethod = "POST"
      request.httpBody = try JSONEncoder().encode(question)
      request.setValue("Bearer \(ServerProcess.secret)", forHTTPHeaderField: "Authorization")
      let (data, response) = try await URLSession.shared.data(for: request)
      switch (response as? HTTPURLResponse)?.statusCode {
      case 200: return attempt
      case 503: continue
      case 409: break
      case let status: throw ErrorAnswer(code: status ?? 0, message: "\(word) isn't saved")
      }
      let object = try JSONDecoder().decode(ErrorAnswer.self, from: data).conflicts?.first?.object
      version = object?.version ?? 0
      if case .string(let present)? = object?.values["text"] { text = present } else { text = "" }
    }
    throw ErrorAnswer(code: 0, message: "\(word) never gets its turn")
  }
}
