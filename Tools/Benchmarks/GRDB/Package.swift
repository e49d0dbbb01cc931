// swift-tools-version: 6.1
import PackageDescription

// A package of its own: the benchmark depends on GRDB, MomKit doesn't. RawRun.swift is a link to the
// StoreBenchmark's: both programs' figures are ratios to the same work done with SQLite's C functions.
let package = Package(
  name: "GRDBBenchmark",
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0")
  ],
  targets: [
    .executableTarget(
      name: "GRDBBenchmark",
      dependencies: [
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
