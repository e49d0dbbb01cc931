import ArgumentParser
import Foundation
import PredicateFormat

/// `momtool predicate`: shows how a predicate is parsed, and filters JSON with it.
struct PredicateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "predicate",
    abstract: "Parses a predicate format, shows its tree, and filters JSON objects by it.",
    discussion: """
      PREDICATE is a format as for NSPredicate(format:). Without --json, its canonical form and its \
      tree are shown. With --json, it is evaluated for each object of FILE, which is an array or has \
      one value per line, and matching objects are written unchanged: one per line, or as one array \
      with --format json. For an expression, its value for each object is written; values that JSON \
      can't represent are strings: dates in ISO 8601, bytes in Base64, NaN and Infinity by name. If \
      an object can't be evaluated, the error gives its line and, in an array, its index from 0.

      EXAMPLES
        momtool predicate 'age > 30 AND name BEGINSWITH[cd] "a"'
        momtool predicate 'ANY tags == $TAG' --bind TAG='"new"' --json items.json
        curl -s https://example.org/items.json | momtool predicate 'price < 10' --json -
        momtool predicate --expression 'price * count' --json items.json
        momtool predicate --argument -3 'balance < %@' --json items.json
        momtool predicate '-balance > 3' --json items.json

      EXIT STATUS
        0   the predicate is valid; with --json, an object matches
        1   no object matches
        2   the predicate or the JSON can't be parsed, or an object can't be evaluated
        64  the command line is wrong
      """)

  @Argument(help: ArgumentHelp("The predicate's format string.", valueName: "predicate"))
  var text: String

  @Option(
    name: .customLong("json"),
    help: ArgumentHelp("Filter the objects of this file; - for standard input.", valueName: "file"),
    completion: .file())
  var input: String?

  @Option(help: "The output format: text or json.")
  var format = PlainFormat.text

  @OptionGroup var values: PredicateOptions

  @Flag(help: "Parse an expression instead of a predicate.")
  var expression = false

  /// Moves a predicate that begins with a minus sign to the end of the command line, after `--`, so that it isn't
  /// parsed as an option.
  static func arranged(_ arguments: [String]) -> [String] {
    guard arguments.first == configuration.commandName, !arguments.contains("--") else {
      return arguments
    }
    // The only single-letter option is -h, and no other option takes a value that begins with a minus sign.
    let index = arguments.indices.dropFirst().first { index in
      let text = arguments[index]
      return text.hasPrefix("-") && !text.hasPrefix("--") && text != "-" && text != "-h"
        && arguments[index - 1] != "--argument"
    }
    guard let index else { return arguments }
    var arranged = arguments
    let text = arranged.remove(at: index)
    return arranged + ["--", text]
  }

  func run() throws {
    let values = try values.read()
    let question = try question(values.positional)
    try values.refuseUnused(
      besides: question.variables, expression ? "the expression" : "the predicate")
    guard let input else { return try show(question) }
    try filter(input, by: question, values: values.named)
  }

  // MARK: Reading

  /// The input to evaluate: a predicate or an expression.
  private enum Question {
    case predicate(PredicateTree)
    case expression(ExpressionTree)

    /// The names of the variables that need a value.
    var variables: Set<String> {
      var names: Set<String> = []
      let note = { (leaf: ExpressionTree) -> ExpressionTree in
        if case .variable(let name) = leaf { names.insert(name) }
        return leaf
      }
      switch self {
      case .predicate(let tree): _ = tree.mapLeaves(note)
      case .expression(let tree): _ = tree.mapLeaves(note)
      }
      return names
    }
  }

  private func question(_ arguments: [Any]) throws -> Question {
    let values = arguments.map { PredicateValue(bridging: $0) }
    do {
      return expression
        ? .expression(try ExpressionTree(parsing: text, arguments: values))
        : .predicate(try PredicateTree(parsing: text, arguments: values))
    } catch let error as PredicateFormatError {
      throw Diagnostic(error.description, path: "predicate", column: error.column, in: text)
    }
  }

  // MARK: Showing

  private struct Understood: Encodable {
    var schemaVersion = 1
    var canonical: String
    var tree: TreeOutline
  }

  private func show(_ question: Question) throws {
    let understood =
      switch question {
      case .predicate(let tree):
        Understood(canonical: tree.canonicalFormat, tree: TreeOutline(tree))
      case .expression(let tree):
        Understood(canonical: tree.canonicalFormat, tree: TreeOutline(tree))
      }
    switch format {
    case .text:
      try StandardOutput.write("\(understood.canonical)\n\n\(understood.tree.description)\n")
    case .json:
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try StandardOutput.write(String(decoding: encoder.encode(understood), as: UTF8.self) + "\n")
    }
  }

  // MARK: Filtering

  private func filter(
    _ path: String, by question: Question, values: [String: Any]
  ) throws {
    var output = JSONLines(isArray: format == .json)
    var hasTrouble = false
    let answer = Self.answer(question, values)
    let bytes = try InputReader.reported(path) { try InputFile.bytes(at: path, takesPipes: true) }
    for element in JSONElements(bytes) {
      do {
        let object = try Self.object(element)
        if let text = try answer(object, element.text) { output.append(text) }
      } catch {
        hasTrouble = true
        let message = (error as? PredicateFormatError)?.description ?? "not JSON"
        Diagnostics.report(
          Diagnostic(message, path: path == "-" ? "stdin" : path, place: element.place))
      }
    }
    try StandardOutput.write(output.finish())
    if hasTrouble { throw ExitStatus.trouble }
    if output.isEmpty { throw ExitStatus.findings }
  }

  private static func object(_ element: JSONElements.Element) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(element.text), options: .fragmentsAllowed)
  }

  /// The output for an object: its own text if it matches, or the value of the expression.
  private static func answer(
    _ question: Question, _ values: [String: Any]
  ) -> (Any, [UInt8]) throws -> [UInt8]? {
    switch question {
    case .predicate(let tree):
      let program = PredicateProgram(tree)
      return { try program.evaluate(with: $0, bindings: values) ? $1 : nil }
    case .expression(let tree):
      let program = ExpressionProgram(tree)
      return { object, _ in Array(try program.value(for: object, bindings: values).json.utf8) }
    }
  }
}
