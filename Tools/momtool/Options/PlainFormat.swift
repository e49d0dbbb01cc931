import ArgumentParser

/// The two forms that most of what is shown has: for people, and for programs.
enum PlainFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json
}
