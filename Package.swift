// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "MomKit",
  products: [
    .library(name: "MomKit", targets: ["MomKit"]),
    .library(name: "CoreData", targets: ["CoreData"]),
    .library(name: "ModelEvolution", targets: ["ModelEvolution"]),
    .library(name: "ModelListing", targets: ["ModelListing"]),
    .library(name: "ModelReports", targets: ["ModelReports"]),
    .library(name: "ModelSource", targets: ["ModelSource"]),
    .library(name: "PropertyLists", targets: ["PropertyLists"]),
    .library(name: "PredicateFormat", targets: ["PredicateFormat"]),
    .library(name: "RelationalSchemas", targets: ["RelationalSchemas"]),
    .executable(name: "momtool", targets: ["momtool"]),
    .executable(name: "momc", targets: ["momc"]),
    .plugin(name: "ModelCompilerPlugin", targets: ["ModelCompilerPlugin"]),
  ],
  traits: [
    .trait(
      name: "Publishers",
      description: "Publishers of managed objects, fetches, changes and history, on OpenCombine.")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    // Only for the trait Publishers.
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    // Only for `momtool browse`. It has no dependencies and builds in seconds.
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
    // For `swift package generate-documentation`; no product needs it.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
  ],
  targets: [
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

    // Files: property lists and keyed archives. Predicates.
    .target(name: "PropertyLists"),
    .target(name: "PredicateFormat"),

    // Models and their compiled forms.
    .target(
      name: "DataModels",
      dependencies: [
        "PropertyLists", "PredicateFormat", "CZlib",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),

    // Model sources and momc; listings; difference, merge and migration.
    .target(name: "ModelSource", dependencies: ["DataModels", "PropertyLists", "PredicateFormat"]),
    .target(
      name: "ModelListing", dependencies: ["DataModels", "PropertyLists", "PredicateFormat"]),
    .target(
      name: "ModelEvolution",
      dependencies: [
        "DataModels", "PropertyLists",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),

    // Models as tables of relational databases, and the SQL that creates them.
    .target(name: "RelationalSchemas", dependencies: ["DataModels", "PredicateFormat"]),

    // Parquet files, for exports of stores.
    .target(name: "ParquetFiles", dependencies: ["CZlib"]),

    // Objects and stores.
    .target(
      name: "ManagedObjects",
      dependencies: [
        "DataModels", "ModelEvolution", "ParquetFiles", "PropertyLists", "CSQLite",
        .product(
          name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["Publishers"])),
      ]),

    // Reports and diagrams of models, versions and stores.
    .target(
      name: "ModelReports",
      dependencies: [
        "DataModels", "ManagedObjects", "ModelEvolution", "ModelListing", "ModelSource",
      ]),

    // A single import for programs that use Core Data: objects and stores, loading and saving models.
    .target(name: "MomKit", dependencies: ["DataModels", "ManagedObjects", "PredicateFormat"]),

    // The same under Core Data's own name, for sources that say `import CoreData`.
    .target(name: "CoreData", dependencies: ["MomKit"]),

    // The tools.
    .executableTarget(
      name: "momtool",
      dependencies: [
        "DataModels", "ManagedObjects", "ModelEvolution", "ModelListing", "ModelReports",
        "ModelSource", "ParquetFiles", "PredicateFormat", "PropertyLists", "RelationalSchemas",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "FlyingFox", package: "FlyingFox"),
      ],
      path: "Tools/momtool"),

    .executableTarget(
      name: "momc",
      dependencies: ["DataModels", "ModelSource", "PropertyLists"],
      path: "Tools/momc"),
    .plugin(
      name: "ModelCompilerPlugin", capability: .buildTool(), dependencies: ["momc"],
      path: "Tools/ModelCompilerPlugin"),

    // Tests, by module. TestSupport contains what they share.
    .target(
      name: "TestSupport", dependencies: ["DataModels", "PredicateFormat", "PropertyLists"],
      path: "Tests/TestSupport"),
    // Stores with objects, and their invariants.
    .target(
      name: "StoreSupport",
      dependencies: ["ManagedObjects", "ModelEvolution", "TestSupport"],
      path: "Tests/StoreSupport"),
    .testTarget(
      name: "PropertyListsTests", dependencies: ["PropertyLists", "TestSupport"]),
    .testTarget(name: "ParquetFilesTests", dependencies: ["ParquetFiles"]),
    .testTarget(
      name: "PredicateFormatTests", dependencies: ["PredicateFormat", "TestSupport"]),
    .testTarget(
      name: "DataModelsTests",
      dependencies: ["DataModels", "ModelListing", "TestSupport"]),
    .testTarget(
      name: "ModelSourceTests",
      dependencies: ["ModelSource", "DataModels", "ModelEvolution", "TestSupport"]),
    .testTarget(
      name: "ModelListingTests",
      dependencies: ["ModelListing", "DataModels", "PredicateFormat", "TestSupport"]),
    .testTarget(
      name: "RelationalSchemasTests",
      dependencies: ["RelationalSchemas", "DataModels", "PredicateFormat", "TestSupport"]),
    .testTarget(
      name: "ModelReportsTests",
      dependencies: [
        "ModelReports", "ModelListing", "ModelEvolution", "ManagedObjects", "DataModels",
        "TestSupport",
      ]),
    .testTarget(
      name: "ModelEvolutionTests",
      dependencies: [
        "ModelEvolution", "DataModels", "ModelSource", "PropertyLists", "ManagedObjects",
        "StoreSupport", "TestSupport",
      ]),
    .testTarget(
      name: "ManagedObjectsTests",
      dependencies: ["ManagedObjects", "DataModels", "StoreSupport", "TestSupport", "CSQLite"]),
    .testTarget(
      name: "MigrationTests",
      dependencies: [
        "MomKit", "ManagedObjects", "DataModels", "PredicateFormat",
        "StoreSupport", "TestSupport",
      ]),
    .testTarget(
      name: "MomKitTests",
      dependencies: ["MomKit", "ModelEvolution", "ModelSource", "PropertyLists", "TestSupport"]),
    .testTarget(name: "CoreDataTests", dependencies: ["CoreData"]),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "momc", "momtool", "PropertyLists", "ManagedObjects", "MomKit", "TestSupport",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
