import DataModels
import Foundation
import ManagedObjects
import ModelListing
import ModelReports

/// Answers what a page asks about a model or a store. Every answer reads the store as it is at that moment, and nothing
/// is ever written.
actor BrowseSession {
  /// How long an answer may take, in seconds.
  static let longestAnswer = 30.0

  private let source: ReportSource
  private var opened: Opened?
  private var page: (stamp: [String], html: (_ nonce: String) throws -> String)?

  /// A store that was opened, with the places that its entities have in the page.
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

  /// Looks whether there is something to show.
  ///
  /// - Throws: what keeps it from being shown.
  func begin() throws { _ = try html(nonce: "") }

  /// The answer to a question.
  func answer(_ question: BrowseAnswer.Question) -> BrowseAnswer {
    do {
      switch question.path {
      case "": return try pageAnswer()
      case "rows": return try rows(question)
      case "check": return try check(question)
      case "object": return try object(question)
      case "value": return try value(question)
      case "export": return try export(question)
      default: return .refusal(404, "There is nothing of this name.")
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

  /// The page, made anew when a file has changed.
  private func html(nonce: String) throws -> String {
    let stamp = source.stamp
    if let page, page.stamp == stamp { return try page.html(nonce) }
    let made = try source.page()
    let html = { (nonce: String) in try made.html(servedWith: nonce) }
    page = (stamp, html)
    return try html(nonce)
  }

  // MARK: The store

  /// Reads the store, as it is now.
  func reading<Result>(
    _ body: (StoreRows, _ places: [String: Int]) throws -> Result
  ) throws -> Result {
    let opened = try open()
    let rows = try StoreRows(
      opened.input.file, model: opened.model, framework: opened.framework, keepsGoing: true)
    let deadline = Date(timeIntervalSinceNow: Self.longestAnswer)
    return try rows.ending(when: { Date() > deadline }) { try body(rows, opened.places) }
  }

  private func open() throws -> Opened {
    let stamp = source.stamp
    if let opened, opened.stamp == stamp { return opened }
    guard let store = source.store else { throw Diagnostic("this is no store") }
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

  /// The entity that a question is about.
  func entity(_ question: BrowseAnswer.Question, _ rows: StoreRows) throws -> SchemaEntity {
    let name = question.values["entity"] ?? ""
    guard let entity = rows.entity(name) else {
      throw Diagnostic("the model has no entity '\(name)'")
    }
    return entity
  }
}

/// What went wrong, for the page: a message, and where in the condition.
struct Problem: Encodable, Sendable {
  let message: String
  /// The first wrong character's place in the condition, from 1 on.
  var column: Int?

  init(_ error: any Error) {
    if let diagnostic = error as? Diagnostic {
      column = diagnostic.column
      // The place is shown in the field.
      message =
        diagnostic.column == nil
        ? diagnostic.message
        : String(diagnostic.message.prefix { $0 != "\n" })
    } else {
      message = Diagnostics.messages(for: error, path: nil).joined(separator: "\n")
    }
  }
}
