// swift-tools-version: 6.1
import PackageDescription

// Stores in PostgreSQL. A separate package, so that nobody else needs libpq. `Tools/postgresql` runs its tests
// against a private server.
let package = Package(
  name: "MomKitPostgreSQL",
  products: [
    .library(name: "MomKitPostgreSQL", targets: ["MomKitPostgreSQL"]),
    .executable(name: "momtool-postgresql", targets: ["momtool-postgresql"]),
  ],
  dependencies: [
    .package(name: "MomKit", path: "../../.."),
    .package(name: "MomKitTools", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(
      name: "MomKitPostgreSQL",
      dependencies: [
        "CPostgreSQL", .product(name: "MomKit", package: "MomKit"),
        .product(name: "RelationalSchemas", package: "MomKit"),
      ]),
    // What `momtool store copy` runs for URLs of PostgreSQL stores.
    .executableTarget(
      name: "momtool-postgresql",
      dependencies: [
        "MomKitPostgreSQL", .product(name: "MomKit", package: "MomKit"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // A program that increments counters in a store; several run at once.
    .executableTarget(
      name: "SavingTrial",
      dependencies: ["MomKitPostgreSQL", .product(name: "MomKit", package: "MomKit")]),
    // Compares stores with libpq: Tools/postgresql-speed.
    .executableTarget(
      name: "SpeedBenchmark",
      dependencies: [
        "CPostgreSQL", "MomKitPostgreSQL", .product(name: "MomKit", package: "MomKit"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // Random programs, as in Tools/simulate.
    .executableTarget(
      name: "StoreSimulator",
      dependencies: [
        "MomKitPostgreSQL", .product(name: "Simulation", package: "MomKitTools"),
        .product(name: "MomKit", package: "MomKit"),
      ]),
    .testTarget(
      name: "MomKitPostgreSQLTests",
      dependencies: [
        "MomKitPostgreSQL", "SavingTrial", "momtool-postgresql",
        .product(name: "MomKit", package: "MomKit"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
