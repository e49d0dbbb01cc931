import Foundation

/// Gives a manifest what a ported package depends on.
struct ManifestRewriter {
  /// Where MomKit is: a path or a URL.
  var momKit: String
  /// The targets whose data models are compiled.
  var modelTargets: [String]
  /// The targets that need OpenCombine.
  var combineTargets: [String]

  /// The oldest manifest that can name a plugin and a package's product as it is done here.
  private static let oldest = (5, 9)

  func rewrite(_ manifest: String) -> String {
    var text = raised(manifest)
    if !text.hasSuffix("\n") { text += "\n" }
    text += """

      // What `momtool port` adds: Core Data's interface, and its models compiled as Xcode does.
      package.dependencies.append(\(dependency))
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
            .product(name: "OpenCombineFoundation", package: "OpenCombine"),
          ]
        }

        """
    }
    return text
  }

  private var dependency: String {
    momKit.contains("://")
      ? ".package(url: \(SourceRewriter.literal(momKit)), branch: \"main\")"
      : ".package(name: \"MomKit\", path: \(SourceRewriter.literal(momKit)))"
  }

  /// The manifest with a version of the tools that knows plugins.
  private func raised(_ manifest: String) -> String {
    guard
      let match = manifest.firstMatch(
        of: /^\/\/\s*swift-tools-version\s*:\s*([0-9]+)\.([0-9]+)\S*/),
      let major = Int(match.1), let minor = Int(match.2), (major, minor) < Self.oldest
    else { return manifest }
    return manifest.replacingCharacters(
      in: match.range, with: "// swift-tools-version:\(Self.oldest.0).\(Self.oldest.1)")
  }
}
