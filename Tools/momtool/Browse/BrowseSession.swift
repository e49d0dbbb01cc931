import DataModels
import Foundation
import ManagedObjects
import ModelListing
import ModelReports

/// Answers a page's requests about a model or a store. Each answer reads the store's current contents; nothing is
/// ever written.
actor BrowseSession {
  /// The time limit for an answer, in seconds.
  static let longestAnswer = 30.0

  private let source: ReportSource
  private var opened: Opened?
  private var page: (stamp: [String], html: (_ nonce: String) throws -> String)?

  /// An open store, with the indexes of its entities in the page.
  private struct Opened {
    let stamp: [String]
    let input: StoreInput
    let model: NSManagedObjectModel
    let framework: Int?
    let places: [String: Int]
  }

  init(_ source: ReportSource) {
    self.source = source
  }

  /// Checks that there is something to show.
  ///
  /// - Throws: the error that prevents it.
  func begin() throws { _ = try html(nonce: "") }

  /// Returns the response to a request.
  func answer(_ question: BrowseAnswer.Question) -> BrowseAnswer {
    do {
      switch question.path {
      case "": return try pageAnswer()
      case "rows": return try rows(question)
      case "check": return try check(question)
      case "object": return try object(question)
      case "value": return try value(question)
      case "export": return try export(question)
      default: return .refusal(404, "There is no such page.")
      }
    } catch {
      let problem = Problem(error)
      return (try? .json(["error": problem])) ?? .refusal(500, problem.message)
    }
  }

  // MARK: The page

  private func pageAnswer() throws -> BrowseAnswer {
    let nonce = BrowseGate.randomToken()
    var answer = BrowseAnswer(type: "text/html; charset=utf-8")
    answer.headers["Content-Security-Policy"] = ReportPage.policy(nonce: nonce)
    do {
      answer.body = Array(try html(nonce: nonce).utf8)
    } catch {
      return .refusal(500, Problem(error).message)
    }
    return answer
  }

  /// Returns the page, regenerated if a file has changed.
  private func html(nonce: String) throws -> String {
    let stamp = source.stamp
    if let page, page.stamp == stamp { return try page.html(nonce) }
    let made = try source.page()
    let html = { (nonce: String) in try made.html(servedWith: nonce) }
    page = (stamp, html)
    return try html(nonce)
  }

  // MARK: The store

  /// Reads the store's current contents.
  func reading<Result>(
    _ body: (StoreRows, _ places: [String: Int]) throws -> Result
  ) throws -> Result {
    let opened = try open()
    let deadline = Date(timeIntervalSinceNow: Self.longestAnswer)
    return try StoreRows.rereading(
      opening: {
        try StoreRows(
          opened.input.file, model: opened.model, framework: opened.framework, keepsGoing: true)
      },
      { rows in
        try rows.ending(when: { Date() > deadline }) { try body(rows, opened.places) }
      })
  }

  private func open() throws -> Opened {
    let stamp = source.stamp
    if let opened, opened.stamp == stamp { return opened }
    guard let store = source.store else { throw Diagnostic("this isn't a store") }
    let input = try store.opened()
    let model = try store.loadModel()
    let names = ModelSchema(model).entities.map(\.name)
    let made = Opened(
      stamp: stamp, input: input, model: model, framework: input.metadata?.frameworkVersion,
      places: Dictionary(
        names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first }))
    opened = made
    return made
  }

  /// Returns the entity that a request refers to.
  func entity(_ question: BrowseAnswer.Question, _ rows: StoreRows) throws -> SchemaEntity {
    let name = question.values["entity"] ?? ""
    guard let entity = rows.entity(name) else {
      throw Diagnostic("the model has no entity '\(name)'")
    }
    return entity
  }
}

/// An error for the page: a message and a location in the condition.
struct Problem: Encodable, Sendable {
  let message: String
  /// The column of the first invalid character in the condition, starting from 1.
  var column: Int?

  init(_ error: any Error) {
    if let diagnostic = error as? Diagnostic {
      column = diagnostic.column
      // The page marks the location in the text field.
      message = diagnostic.message
    } else {
      message = Diagnostics.messages(for: error, path: nil).joined(separator: "\n")
    }
  }
}
