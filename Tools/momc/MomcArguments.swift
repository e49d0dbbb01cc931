import DataModels
import ModelSource

/// The command line of Apple's `momc`.
///
/// It is parsed manually: its options are unusual (every platform has its own `--…-deployment-target`), and build
/// systems pass further ones, which must not abort a build.
struct MomcArguments {
  /// The action to perform.
  enum Action {
    case compile, generate
  }

  /// An invalid command line.
  struct UsageError: Error {
    var message: String
  }

  private(set) var action = Action.compile
  private(set) var input = ""
  private(set) var output = ""
  private(set) var module: String?
  /// The file for all generated Swift code, for build systems that must know its name.
  private(set) var singleFile: String?
  private(set) var isDryRun = false
  private(set) var showsWarnings = true
  private(set) var skippedRules: Set<SourceRule> = []
  private(set) var stamp: CompilerStamp? = .newest
  private(set) var showsHelp = false
  private(set) var showsVersion = false
  /// Unknown options, which are ignored.
  private(set) var unknown: [String] = []

  init(_ arguments: [String]) throws {
    var paths: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        paths += rest
        break
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        paths.append(argument)
        continue
      }
      try take(argument, &rest)
    }
    if showsHelp || showsVersion { return }
    // The argument after an unknown option may be its value; source and output come last.
    if !unknown.isEmpty { paths = paths.suffix(2) }
    guard paths.count == 2 else {
      throw UsageError(message: "give the source and the output, not \(paths.count) paths")
    }
    (input, output) = (paths[0], paths[1])
  }

  private mutating func take(_ option: String, _ rest: inout ArraySlice<String>) throws {
    switch option {
    case "--help", "-h": showsHelp = true
    case "--version": showsVersion = true
    case "--dry-run": isDryRun = true
    case "--no-warnings": showsWarnings = false
    case "--no-inverse-relationship-warnings": skippedRules.insert(.missingInverse)
    case "--no-max-property-count-warnings": skippedRules.insert(.tooManyProperties)
    case "--no-delete-rule-warnings": skippedRules.insert(.noActionDeleteRule)
    case "--suppress-inverse-transient-error": skippedRules.insert(.transientInverse)
    case "--print-diagnostic-categories": break
    case "--module": module = try value(of: option, &rest)
    case "--single-file": singleFile = try value(of: option, &rest)
    case "--sdkroot", "--swift-version": _ = try value(of: option, &rest)
    case "--action": try takeAction(try value(of: option, &rest))
    case "--stamp": try takeStamp(try value(of: option, &rest))
    case _ where option.hasSuffix("-deployment-target"): _ = try value(of: option, &rest)
    default: unknown.append(option)
    }
  }

  private func value(
    of option: String, _ rest: inout ArraySlice<String>
  ) throws -> String {
    guard let value = rest.popFirst() else {
      throw UsageError(message: "\(option) needs a value")
    }
    return value
  }

  private mutating func takeAction(_ name: String) throws {
    switch name {
    case "compile": action = .compile
    case "generate": action = .generate
    default: throw UsageError(message: "unknown action '\(name)'; use compile or generate")
    }
  }

  private mutating func takeStamp(_ text: String) throws {
    if text == "none" {
      stamp = nil
    } else if let known = CompilerStamp(text: text) ?? CompilerStamp(xcode: text) {
      stamp = known
    } else {
      throw UsageError(
        message: "'\(text)' isn't a stamp; write none, 150400:22758 or a release such as 15.4")
    }
  }

  static let usage = """
    usage: momc [options] <source.xcdatamodeld | .xcdatamodel | .xcmappingmodel> <output>

    Compiles a Core Data model to the same bytes as Apple's compiler of this name.

      --action compile|generate            compile (the default), or generate classes
      --module NAME                        the module of classes whose names begin with a dot
      --single-file PATH                   generate all Swift code into this file
      --dry-run                            print the output paths without writing files
      --no-warnings                        print no warnings
      --no-inverse-relationship-warnings   … for relationships without an inverse
      --no-max-property-count-warnings     … for entities with many properties
      --no-delete-rule-warnings            … for the delete rule No Action
      --suppress-inverse-transient-error   allow inverses only one of which is transient
      --stamp none|XCODE:TOOL|RELEASE      the compiler stamp
      --sdkroot PATH, --swift-version V, --<platform>-deployment-target V, and unknown
      options are accepted and ignored.

    """
}
