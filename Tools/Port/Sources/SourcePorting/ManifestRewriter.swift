import Foundation
import SwiftParser
import SwiftSyntax

/// Adds the dependencies of a ported package to its manifest.
struct ManifestRewriter {
  /// The original's folder, which relative paths refer to.
  var source: URL
  /// MomKit's location, as a path or URL.
  var momKit: String
  /// The targets whose data models are compiled.
  var modelTargets: [String]
  /// The targets that need OpenCombine.
  var combineTargets: [String]
  /// Whether a target seems to need publishers of managed objects, which a trait of MomKit has.
  var needsPublishers: Bool

  /// The oldest tools version that supports the plugin and product dependencies used here.
  private static let oldest = (5, 9)
  /// The oldest tools version that supports package traits.
  private static let oldestWithTraits = (6, 1)

  func rewrite(_ manifest: String) -> String {
    var text = rooted(raised(manifest))
    if !text.hasSuffix("\n") { text += "\n" }
    if needsPublishers, let version = version(of: manifest), version < (6, 0) {
      // Only the manifest's version is raised: the sources keep their language.
      text += "\npackage.swiftLanguageModes = package.swiftLanguageModes ?? [.v5]\n"
    }
    text += """

      // What `momtool port` adds: Core Data's interface, and its models compiled as Xcode does.
      \(namesMomKit(manifest) ? "" : "package.dependencies.append(\(dependency(of: manifest)))")
      for target in package.targets where [.regular, .executable, .test].contains(target.type) {
        target.dependencies.append(.product(name: "CoreData", package: "MomKit"))
      }

      """
    if !modelTargets.isEmpty {
      text += """
        for target in package.targets where \(modelTargets).contains(target.name) {
          target.plugins = (target.plugins ?? []) + [
            .plugin(name: "ModelCompilerPlugin", package: "MomKit")
          ]
        }

        """
    }
    if !combineTargets.isEmpty {
      text += """
        package.dependencies.append(
          .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"))
        for target in package.targets where \(combineTargets).contains(target.name) {
          target.dependencies += [
            .product(name: "OpenCombine", package: "OpenCombine"),
            .product(name: "OpenCombineDispatch", package: "OpenCombine"),
            .product(name: "OpenCombineFoundation", package: "OpenCombine"),
          ]
        }

        """
    }
    return text
  }

  /// Returns the dependency on MomKit, including publishers for a package that needs them, or uses Combine and has a
  /// manifest that can ask for them.
  private func dependency(of manifest: String) -> String {
    let hasTraits = version(of: manifest).map { $0 >= Self.oldestWithTraits } ?? false
    let traits =
      needsPublishers || hasTraits && !combineTargets.isEmpty ? ", traits: [\"Publishers\"]" : ""
    return momKit.contains("://")
      ? ".package(url: \(SourceRewriter.literal(momKit)), branch: \"main\"\(traits))"
      : ".package(name: \"MomKit\", path: \(SourceRewriter.literal(momKit))\(traits))"
  }

  /// Whether a manifest already depends on MomKit.
  private func namesMomKit(_ manifest: String) -> Bool {
    let finder = DependencyPathFinder(viewMode: .sourceAccurate)
    finder.walk(Parser.parse(source: manifest))
    return finder.calls.contains { $0.contains(/\bMomKit\b/) }
  }

  /// Returns the manifest with absolute paths to packages next to the original.
  private func rooted(_ manifest: String) -> String {
    let finder = DependencyPathFinder(viewMode: .sourceAccurate)
    finder.walk(Parser.parse(source: manifest))
    var edits = SourceEdits(Array(manifest.utf8))
    for (range, path) in finder.paths where !path.hasPrefix("/") && !path.hasPrefix("~") {
      let url = source.appending(path: path).standardizedFileURL
      edits.replace(range, with: SourceRewriter.literal(url.path))
    }
    return String(decoding: edits.result, as: UTF8.self)
  }

  /// Returns the manifest with a tools version that supports plugins, and traits if they are needed.
  private func raised(_ manifest: String) -> String {
    let needed = needsPublishers ? Self.oldestWithTraits : Self.oldest
    guard let version = version(of: manifest), version < needed,
      let line = manifest.firstMatch(of: Self.versionLine)
    else { return manifest }
    return manifest.replacingCharacters(
      in: line.range, with: "// swift-tools-version:\(needed.0).\(needed.1)")
  }

  private static var versionLine: Regex<(Substring, Substring, Substring)> {
    /^\/\/\s*swift-tools-version\s*:\s*([0-9]+)\.([0-9]+)\S*/
  }

  /// Returns the tools version that a manifest declares.
  private func version(of manifest: String) -> (Int, Int)? {
    guard let line = manifest.firstMatch(of: Self.versionLine), let major = Int(line.1),
      let minor = Int(line.2)
    else { return nil }
    return (major, minor)
  }
}

/// Finds `.package(path: "…")` in a manifest.
private final class DependencyPathFinder: SyntaxVisitor {
  var paths: [(range: Range<Int>, path: String)] = []
  /// The calls that declare package dependencies.
  var calls: [String] = []

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    guard
      node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "package"
    else { return .visitChildren }
    calls.append(node.trimmedDescription)
    guard
      let argument = node.arguments.first(where: { $0.label?.text == "path" })?.expression,
      let path = argument.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    else { return .visitChildren }
    paths.append((argument.textRange, path))
    return .visitChildren
  }
}
