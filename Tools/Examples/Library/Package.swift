// swift-tools-version: 6.1
import PackageDescription

// A program whose data model is compiled, and whose classes are generated, by the build.
let package = Package(
  name: "Library",
  dependencies: [.package(name: "MomKit", path: "../../..")],
  targets: [
    .executableTarget(
      name: "Library",
      dependencies: [.product(name: "MomKit", package: "MomKit")],
      plugins: [.plugin(name: "ModelCompilerPlugin", package: "MomKit")])
  ],
  swiftLanguageModes: [.v6]
)
