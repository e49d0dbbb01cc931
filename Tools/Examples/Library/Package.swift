// swift-tools-version: 6.1
import PackageDescription

// Programs whose data models are compiled, and whose classes are generated, by the build.
let package = Package(
  name: "Library",
  dependencies: [.package(name: "MomKit", path: "../../..")],
  targets: [
    .executableTarget(
      name: "Library",
      dependencies: [.product(name: "MomKit", package: "MomKit")],
      plugins: [.plugin(name: "ModelCompilerPlugin", package: "MomKit")]),
    // Only Core Data's own import.
    .executableTarget(
      name: "Notes",
      dependencies: [.product(name: "CoreData", package: "MomKit")],
      plugins: [.plugin(name: "ModelCompilerPlugin", package: "MomKit")]),
  ],
  swiftLanguageModes: [.v6]
)
