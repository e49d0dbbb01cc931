import ArgumentParser

/// The arguments of a predicate's format.
struct PredicateOptions: ParsableArguments {
  @Option(
    name: .customLong("argument"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The argument, as JSON, for the format's next %@, %K or %d; may be repeated.",
      valueName: "json"))
  var arguments: [String] = []

  @Option(
    name: .customLong("bind"),
    help: ArgumentHelp("The value of a $VARIABLE; may be repeated.", valueName: "name=json"))
  var bindings: [String] = []

  /// The values.
  func read() throws -> PredicateArguments {
    try PredicateArguments(arguments: arguments, bindings: bindings)
  }
}
