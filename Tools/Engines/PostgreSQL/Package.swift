// swift-tools-version: 6.1
import PackageDescription

// Stores in PostgreSQL, a package of its own so that nobody else needs libpq. `Tools/postgresql` runs its tests, with a
// server of their own.
let package = Package(
  name: "MomKitPostgreSQL",
  products: [
    .library(name: "MomKitPostgreSQL", targets: ["MomKitPostgreSQL"])
  ],
  dependencies: [.package(name: "MomKit", path: "../../..")],
  targets: [
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(
      name: "MomKitPostgreSQL",
      dependencies: [
        "CPostgreSQL", .product(name: "MomKit", package: "MomKit"),
        .product(name: "RelationalSchemas", package: "MomKit"),
      ]),
    // A program that counts in a store, several at a time.
    .executableTarget(
      name: "SavingTrial",
      dependencies: ["MomKitPostgreSQL", .product(name: "MomKit", package: "MomKit")]),
    .testTarget(
      name: "MomKitPostgreSQLTests",
      dependencies: [
        "MomKitPostgreSQL", "SavingTrial", .product(name: "MomKit", package: "MomKit"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
