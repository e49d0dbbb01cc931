// swift-tools-version:5.9
import PackageDescription

// The package's own manifest omits the model used by its tests.
let package = Package(
  name: "AERecord",
  targets: [
    .target(name: "AERecord"),
    .testTarget(
      name: "AERecordTests", dependencies: ["AERecord"], path: ".",
      exclude: ["LICENSE", "README.md", "Sources"],
      sources: ["Tests"]
        + ["Animal", "Breed", "Species"].map { "Resources/Sample Model/\($0).swift" }),
  ],
  swiftLanguageVersions: [.v5]
)
