// swift-tools-version: 6.1
import PackageDescription

// Programs whose build compiles their data models and generates their classes.
let package = Package(
  name: "Library",
  dependencies: [.package(name: "MomKit", path: "../../..")],
  targets: [
    .executableTarget(
      name: "Library",
      dependencies: [.product(name: "MomKit", package: "MomKit")],
      plugins: [.plugin(name: "ModelCompilerPlugin", package: "MomKit")]),
    // Imports nothing but Core Data.
    .executableTarget(
      name: "Notes",
      dependencies: [.product(name: "CoreData", package: "MomKit")],
      plugins: [.plugin(name: "ModelCompilerPlugin", package: "MomKit")]),
  ],
  swiftLanguageModes: [.v6]
)
