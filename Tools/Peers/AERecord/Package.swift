// swift-tools-version:5.9
import PackageDescription

// The package's own manifest leaves out the model that its tests are about.
let package = Package(
  name: "AERecord",
  targets: [
    .target(name: "AERecord"),
    .testTarget(
      name: "AERecordTests", dependencies: ["AERecord"], path: ".",
      exclude: ["LICENSE", "README.md"], sources: ["Tests", "Resources"]),
  ],
  swiftLanguageVersions: [.v5]
)
