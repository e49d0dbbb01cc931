// swift-tools-version: 6.1
import PackageDescription

// A package of its own, so that the library's builds never see the fuzzers' flags.
//
//   swift build -c release --sanitize=fuzzer --product FuzzPredicate
//   .build/release/FuzzPredicate -max_total_time=60 corpus/predicate seeds/predicate
let package = Package(
  name: "MomKitFuzz",
  dependencies: [.package(name: "MomKit", path: "../..")],
  targets: [
    .executableTarget(
      name: "FuzzPredicate",
      dependencies: [.product(name: "PredicateFormat", package: "MomKit")],
      swiftSettings: [.unsafeFlags(["-parse-as-library"])])
  ],
  swiftLanguageModes: [.v6]
)
