// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "MomKit",
  products: [
    .library(name: "MomKit", targets: ["MomKit"]),
    .library(name: "ModelEvolution", targets: ["ModelEvolution"]),
    .library(name: "ModelListing", targets: ["ModelListing"]),
    .library(name: "ModelSource", targets: ["ModelSource"]),
    .library(name: "PropertyLists", targets: ["PropertyLists"]),
    .library(name: "PredicateFormat", targets: ["PredicateFormat"]),
    .executable(name: "momtool", targets: ["momtool"]),
    .executable(name: "momc", targets: ["momc"]),
    .library(name: "HostileInput", targets: ["HostileInput"]),
    .plugin(name: "ModelCompilerPlugin", targets: ["ModelCompilerPlugin"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
  ],
  targets: [
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

    // Files: property lists and keyed archives. And the language of predicates.
    .target(name: "PropertyLists"),
    .target(name: "PredicateFormat"),

    // The model graph, and its compiled forms.
    .target(
      name: "DataModels",
      dependencies: [
        "PropertyLists", "PredicateFormat", "CZlib",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),

    // Models at work: sources and momc; listings; difference, merge, migration.
    .target(name: "ModelSource", dependencies: ["DataModels", "PropertyLists", "PredicateFormat"]),
    .target(
      name: "ModelListing", dependencies: ["DataModels", "PropertyLists", "PredicateFormat"]),
    .target(
      name: "ModelEvolution",
      dependencies: [
        "DataModels", .product(name: "OrderedCollections", package: "swift-collections"),
      ]),

    // Objects and stores.
    .target(
      name: "ManagedObjects",
      dependencies: ["DataModels", "ModelEvolution", "PropertyLists", "CSQLite"]),

    // One import for programs that use Core Data: objects and stores, loading and saving of models.
    .target(name: "MomKit", dependencies: ["DataModels", "ManagedObjects", "PredicateFormat"]),

    // The tools.
    .executableTarget(
      name: "momtool",
      dependencies: [
        "DataModels", "ManagedObjects", "ModelEvolution", "ModelListing", "ModelSource",
        "PredicateFormat", "PropertyLists",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/momtool"),

    .executableTarget(
      name: "momc",
      dependencies: ["DataModels", "ModelSource", "PropertyLists"],
      path: "Tools/momc"),
    .executableTarget(
      name: "EvolutionBenchmark", dependencies: ["DataModels", "ModelEvolution"],
      path: "Tools/Benchmarks/Evolution"),
    .executableTarget(
      name: "SourceBenchmark", dependencies: ["DataModels", "ModelSource"],
      path: "Tools/Benchmarks/Source"),
    .executableTarget(
      name: "StoreBenchmark", dependencies: ["MomKit", "CSQLite"],
      path: "Tools/Benchmarks/Store"),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "MomKit", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/Benchmarks/Models"),
    .executableTarget(
      name: "mutator",
      dependencies: [
        "PropertyLists", "HostileInput", "TestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/mutator"),

    .executableTarget(
      name: "MigrationCrash", dependencies: ["MomKit", "CSQLite"],
      path: "Tools/Crash/Migration"),

    // Programs as people write them, run by the tests.
    .target(name: "ExampleSupport", path: "Tools/Examples/Support"),
    .executableTarget(
      name: "DownloadCache", dependencies: ["ExampleSupport", "MomKit"],
      path: "Tools/Examples/DownloadCache"),
    .executableTarget(
      name: "ModelInCode", dependencies: ["ExampleSupport", "ModelSource", "MomKit"],
      path: "Tools/Examples/ModelInCode"),
    .executableTarget(
      name: "SavedModel", dependencies: ["ExampleSupport", "MomKit"],
      path: "Tools/Examples/SavedModel"),
    .executableTarget(
      name: "EventsAndLocations", dependencies: ["ExampleSupport", "MomKit"],
      path: "Tools/Examples/EventsAndLocations"),
    .executableTarget(
      name: "CompaniesAndWorkers", dependencies: ["ExampleSupport", "MomKit"],
      path: "Tools/Examples/CompaniesAndWorkers"),

    // The same program is a package of its own in Tools/Examples/Library: here it is built with the
    // rest, so that the plugin is always tested.
    .executableTarget(
      name: "Library", dependencies: ["MomKit"], path: "Tools/Examples/Library/Sources/Library",
      plugins: ["ModelCompilerPlugin"]),

    // Programs that are killed while they save, for tests and Tools/crash.
    .executableTarget(
      name: "SavingCrash",
      dependencies: [
        "MomKit", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/Crash/Saving"),

    // Faults of files below SQLite, for Tools/Simulator.
    .target(
      name: "FaultyFiles", dependencies: ["CSQLite"], path: "Tools/Simulator/FaultyFiles"),
    // Random programs on stores and contexts, beside the simplest picture of Core Data.
    .executableTarget(
      name: "Simulator",
      dependencies: [
        "MomKit", "CSQLite", "FaultyFiles",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/Simulator", exclude: ["FaultyFiles"]),
    // Trials of main queue contexts, which need the real main thread, for tests.
    .executableTarget(
      name: "MainQueueTrials", dependencies: ["MomKit"], path: "Tools/Trials/MainQueue"),

    .plugin(
      name: "ModelCompilerPlugin", capability: .buildTool(), dependencies: ["momc"],
      path: "Tools/ModelCompilerPlugin"),

    // Tests, by module; what they share is in TestSupport.
    .target(
      name: "TestSupport", dependencies: ["DataModels", "PredicateFormat"],
      path: "Tests/TestSupport"),
    // Damaged input, and what is done with it: for tests, Tools/mutate and Tools/Fuzz.
    .target(
      name: "HostileInput", dependencies: ["DataModels", "PropertyLists", "TestSupport"],
      path: "Tests/HostileInput"),
    // Stores with objects, and what must be true of them: for tests and Tools/Crash.
    .target(
      name: "StoreSupport",
      dependencies: ["ManagedObjects", "ModelEvolution", "TestSupport"],
      path: "Tests/StoreSupport"),
    .testTarget(
      name: "FaultyFilesTests", dependencies: ["FaultyFiles", "CSQLite", "TestSupport"]),
    .testTarget(
      name: "PropertyListsTests", dependencies: ["PropertyLists", "HostileInput", "TestSupport"]),
    .testTarget(
      name: "PredicateFormatTests", dependencies: ["PredicateFormat", "TestSupport"]),
    .testTarget(
      name: "DataModelsTests",
      dependencies: ["DataModels", "HostileInput", "ModelListing", "mutator", "TestSupport"]),
    .testTarget(
      name: "ModelSourceTests",
      dependencies: ["ModelSource", "DataModels", "ModelEvolution", "TestSupport"]),
    .testTarget(
      name: "ModelListingTests",
      dependencies: ["ModelListing", "DataModels", "PredicateFormat", "TestSupport"]),
    .testTarget(
      name: "ModelEvolutionTests",
      dependencies: [
        "ModelEvolution", "DataModels", "ModelSource", "PropertyLists", "ManagedObjects",
        "StoreSupport", "TestSupport",
      ]),
    .testTarget(
      name: "ManagedObjectsTests",
      dependencies: ["ManagedObjects", "DataModels", "StoreSupport", "TestSupport"]),
    .testTarget(
      name: "MigrationTests",
      dependencies: [
        "MomKit", "ManagedObjects", "DataModels", "PredicateFormat", "MigrationCrash",
        "StoreSupport", "TestSupport",
      ]),
    .testTarget(
      name: "MomKitTests", dependencies: ["MomKit", "PropertyLists", "TestSupport"]),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "momc", "momtool", "PropertyLists", "ManagedObjects", "MomKit", "TestSupport",
        "SavingCrash", "MainQueueTrials", "Library", "DownloadCache", "ModelInCode", "SavedModel",
        "EventsAndLocations", "CompaniesAndWorkers",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
