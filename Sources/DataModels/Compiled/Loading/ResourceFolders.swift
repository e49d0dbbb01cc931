import Foundation

/// The folders of packages' resources beside a program, in which SwiftPM puts them: `PACKAGE_TARGET.resources`, or
/// `PACKAGE_TARGET.bundle` on Apple's systems.
///
/// All packages that were built together have theirs there, so a program's models are looked for in those that are most
/// likely its own.
package struct ResourceFolders {
  /// The folders of a rank together: the program's own, those of its package, and others.
  package let ranks: [[URL]]

  /// Finds the folders inside others.
  ///
  /// - Parameter program: The name of the program's file.
  package init(in folders: [URL], program: String) {
    let found = folders.flatMap { folder in
      let contents = try? FileManager.default.contentsOfDirectory(
        at: folder, includingPropertiesForKeys: nil)
      let bundles = (contents ?? []).filter { ["resources", "bundle"].contains($0.pathExtension) }
      return bundles.sorted { $0.path < $1.path }
    }
    // Tests are run by a program with the package's name.
    let tests = "PackageTests.xctest"
    let name = program.hasSuffix(tests) ? String(program.dropLast(tests.count)) : program
    let byRank = Dictionary(grouping: found) { folder in
      let bundle = folder.deletingPathExtension().lastPathComponent
      return bundle.hasSuffix("_\(name)") ? 0 : bundle.hasPrefix("\(name)_") ? 1 : 2
    }
    ranks = (0...2).map { byRank[$0] ?? [] }
  }
}
