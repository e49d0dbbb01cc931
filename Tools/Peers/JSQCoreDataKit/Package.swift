// swift-tools-version:5.9
import PackageDescription

// The package's own manifest leaves out its tests, and the framework of models that they are about, which an Xcode
// project builds.
let package = Package(
  name: "JSQCoreDataKit",
  targets: [
    .target(name: "JSQCoreDataKit", path: "Sources", exclude: ["PrivacyInfo.xcprivacy"]),
    .target(
      name: "ExampleModel", dependencies: ["JSQCoreDataKit"],
      path: "Example/ExampleModel/ExampleModel",
      // The Xcode project doesn't have this model either.
      exclude: ["ExampleModel.h", "Version1_to_Version2.xcdatamodeld"]),
    .testTarget(
      name: "JSQCoreDataKitTests", dependencies: ["JSQCoreDataKit", "ExampleModel"], path: "Tests"),
  ],
  swiftLanguageVersions: [.v5]
)
