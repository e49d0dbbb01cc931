// swift-tools-version: 6.1
import PackageDescription

// A package of its own: the benchmark depends on GRDB, MomKit doesn't. The files of the work through
// SQLite's C functions and through objects are links to those of the StoreBenchmark.
let package = Package(
  name: "GRDBBenchmark",
  dependencies: [
    .package(name: "MomKit", path: "../../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "GRDBBenchmark",
      dependencies: [
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "MomKit", package: "MomKit"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
