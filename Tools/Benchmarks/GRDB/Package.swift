// swift-tools-version: 6.1
import PackageDescription

// A separate package, because the benchmark depends on GRDB and MomKit doesn't. RawRun.swift is a link to
// StoreBenchmark's: both report ratios to the same work done with SQLite's C API.
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
