// swift-tools-version: 6.1
import PackageDescription

// A separate package, so that the fuzzers' compiler flags never affect builds of the library. Tools/fuzz builds and
// runs it; see README.md.
let package = Package(
  name: "MomKitFuzz",
  dependencies: [
    .package(name: "MomKit", path: "../.."), .package(name: "MomKitTools", path: ".."),
  ],
  targets: [
    .executableTarget(
      name: "FuzzPredicate",
      dependencies: [.product(name: "PredicateFormat", package: "MomKit")],
      swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "FuzzReaders",
      dependencies: [.product(name: "HostileInput", package: "MomKitTools")],
      swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "FuzzSource",
      dependencies: [
        .product(name: "ModelSource", package: "MomKit"),
        .product(name: "MomKit", package: "MomKit"),
      ],
      swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
  ],
  swiftLanguageModes: [.v6]
)
