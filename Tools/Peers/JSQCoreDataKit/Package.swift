// swift-tools-version:5.9
import PackageDescription

// The package's own manifest omits its tests and the framework of models that they use, which is built by an Xcode
// project.
let package = Package(
  name: "JSQCoreDataKit",
  targets: [
    .target(name: "JSQCoreDataKit", path: "Sources", exclude: ["PrivacyInfo.xcprivacy"]),
    .target(
      name: "ExampleModel", dependencies: ["JSQCoreDataKit"],
      path: "Example/ExampleModel/ExampleModel",
      // The Xcode project omits this model too.
      exclude: ["ExampleModel.h", "Version1_to_Version2.xcdatamodeld"]),
    .testTarget(
      name: "JSQCoreDataKitTests", dependencies: ["JSQCoreDataKit", "ExampleModel"], path: "Tests"),
  ],
  swiftLanguageVersions: [.v5]
)
