// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "MomKit",
  products: [
    .library(name: "MomKit", targets: ["MomKit"]),
    .library(name: "KeyedArchive", targets: ["BinaryPlist", "KeyedArchive"]),
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
    // Floor 1: bytes.
    .target(name: "BinaryPlist"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

    // Floor 2: archive graphs, and the predicate language.
    .target(name: "KeyedArchive", dependencies: ["BinaryPlist"]),
    .target(name: "PredicateFormat"),

    // Floor 3: the model graph.
    .target(
      name: "ManagedModel",
      dependencies: [
        "PredicateFormat",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ]),

    // Floor 4: the model's forms.
    .target(
      name: "CompiledModel",
      dependencies: ["BinaryPlist", "KeyedArchive", "ManagedModel", "CZlib", "CSQLite"]),
    .target(
      name: "ModelSource",
      dependencies: ["BinaryPlist", "ManagedModel", "PredicateFormat", "KeyedArchive"]),
    .target(
      name: "ModelListing", dependencies: ["KeyedArchive", "ManagedModel", "PredicateFormat"]),

    // From source to compiled, and back.
    .target(
      name: "ModelCompiler",
      dependencies: ["BinaryPlist", "CompiledModel", "ManagedModel", "ModelSource"]),

    // Floor 5: evolution.
    .target(
      name: "ModelEvolution",
      dependencies: [
        "ManagedModel", .product(name: "OrderedCollections", package: "swift-collections"),
      ]),
    // What was committed: models of other revisions, read through git. Knows nothing of models.
    .target(name: "GitObjects"),

    // Objects and stores.
    .target(
      name: "ManagedObjects",
      dependencies: ["CompiledModel", "KeyedArchive", "ManagedModel", "ModelEvolution", "CSQLite"]),

    // One import for users.
    .target(
      name: "MomKit",
      dependencies: [
        "CompiledModel", "ModelSource", "ModelCompiler", "ModelListing", "ModelEvolution",
        "ManagedObjects",
      ]),

    // The tools.
    .executableTarget(
      name: "momtool",
      dependencies: [
        "MomKit", "BinaryPlist", "GitObjects", "KeyedArchive", "PredicateFormat",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/momtool"),

    .executableTarget(
      name: "momc",
      dependencies: ["BinaryPlist", "CompiledModel", "ModelCompiler", "ModelSource"],
      path: "Tools/momc"),
    .executableTarget(
      name: "EvolutionBenchmark", dependencies: ["ManagedModel", "ModelEvolution"],
      path: "Tools/Benchmarks/Evolution"),
    .executableTarget(
      name: "SourceBenchmark", dependencies: ["CompiledModel", "ManagedModel", "ModelSource"],
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
        "BinaryPlist", "HostileInput", "TestSupport",
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
      name: "ModelInCode", dependencies: ["ExampleSupport", "MomKit"],
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
      name: "TestSupport", dependencies: ["ManagedModel", "PredicateFormat"],
      path: "Tests/TestSupport"),
    // Damaged input, and what is done with it: for tests, Tools/mutate and Tools/Fuzz.
    .target(
      name: "HostileInput",
      dependencies: ["BinaryPlist", "KeyedArchive", "CompiledModel", "TestSupport"],
      path: "Tests/HostileInput"),
    // Stores with objects, and what must be true of them: for tests and Tools/Crash.
    .target(
      name: "StoreSupport",
      dependencies: ["ManagedObjects", "ModelEvolution", "TestSupport"],
      path: "Tests/StoreSupport"),
    .testTarget(
      name: "FaultyFilesTests", dependencies: ["FaultyFiles", "CSQLite", "TestSupport"]),
    .testTarget(name: "BinaryPlistTests", dependencies: ["BinaryPlist", "TestSupport"]),
    .testTarget(
      name: "KeyedArchiveTests", dependencies: ["KeyedArchive", "HostileInput", "TestSupport"]),
    .testTarget(
      name: "PredicateFormatTests", dependencies: ["PredicateFormat", "TestSupport"]),
    .testTarget(name: "ManagedModelTests", dependencies: ["ManagedModel", "TestSupport"]),
    .testTarget(
      name: "CompiledModelTests",
      dependencies: ["CompiledModel", "HostileInput", "ModelListing", "mutator", "TestSupport"]),
    .testTarget(
      name: "ModelSourceTests",
      dependencies: ["ModelSource", "CompiledModel", "ModelEvolution", "TestSupport"]),
    .testTarget(
      name: "ModelCompilerTests",
      dependencies: ["ModelCompiler", "CompiledModel", "ModelEvolution", "TestSupport"]),
    .testTarget(
      name: "ModelListingTests",
      dependencies: ["ModelListing", "CompiledModel", "PredicateFormat", "TestSupport"]),
    .testTarget(
      name: "ModelEvolutionTests",
      dependencies: [
        "ModelEvolution", "CompiledModel", "ModelSource", "BinaryPlist", "KeyedArchive",
        "ManagedObjects", "StoreSupport", "TestSupport",
      ]),
    .testTarget(name: "GitObjectsTests", dependencies: ["GitObjects", "TestSupport"]),
    .testTarget(
      name: "ManagedObjectsTests", dependencies: ["ManagedObjects", "TestSupport"]),
    .testTarget(
      name: "SQLiteStoreTests",
      dependencies: ["ManagedObjects", "CompiledModel", "StoreSupport", "TestSupport"]),
    .testTarget(
      name: "MigrationTests",
      dependencies: [
        "MomKit", "ManagedObjects", "CompiledModel", "PredicateFormat", "MigrationCrash",
        "StoreSupport", "TestSupport",
      ]),
    .testTarget(
      name: "MomKitTests", dependencies: ["MomKit", "BinaryPlist", "KeyedArchive", "TestSupport"]),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "momc", "momtool", "BinaryPlist", "KeyedArchive", "ManagedObjects", "MomKit", "TestSupport",
        "SavingCrash", "MainQueueTrials", "Library", "DownloadCache", "ModelInCode", "SavedModel",
        "EventsAndLocations",
        "CompaniesAndWorkers",
      ]),
  ],
  swiftLanguageModes: [.v6]
)
