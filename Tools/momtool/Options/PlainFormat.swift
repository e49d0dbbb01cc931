import ArgumentParser

/// The formats that most commands support: one for people, and one for programs.
enum PlainFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json
}
