// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that the library's builds never see the fuzzers' flags.
// Tools/fuzz builds and runs it; README.md says how.
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
