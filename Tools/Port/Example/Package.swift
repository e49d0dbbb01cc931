// swift-tools-version: 6.1
import PackageDescription

// A package for Apple's systems, whose sources use the Objective-C runtime.
let package = Package(
  name: "Shop",
  platforms: [.macOS(.v14), .iOS(.v17)],
  products: [.library(name: "Shop", targets: ["Shop"])],
  targets: [
    .target(name: "Shop", resources: [.process("Shop.xcdatamodeld")]),
    .testTarget(name: "ShopTests", dependencies: ["Shop"]),
    // Data layers as books and tutorials teach them.
    .target(name: "DataLayers", resources: [.process("DataLayers.xcdatamodeld")]),
    .testTarget(name: "DataLayersTests", dependencies: ["DataLayers"]),
    // What Core Data's documentation shows.
    .testTarget(name: "GuidesTests", resources: [.process("Trips.xcdatamodeld")]),
    // What packages of these days do, in the mode of Swift 6.
    .target(
      name: "Bookshelf", resources: [.process("Bookshelf.xcdatamodeld")],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .testTarget(
      name: "BookshelfTests", dependencies: ["Bookshelf"], swiftSettings: [.swiftLanguageMode(.v6)]),
  ],
  swiftLanguageModes: [.v5]
)

#if !canImport(Darwin)
  // Elsewhere its sources are ported while they are built.
  package.dependencies += [
    .package(name: "MomKit", path: "../../..", traits: ["Publishers"]),
    .package(name: "Port", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ]
  for target in package.targets {
    target.dependencies.append(.product(name: "CoreData", package: "MomKit"))
    target.sources = ["Ported.swift"]
    target.plugins = [
      .plugin(name: "PortPlugin", package: "Port"),
      .plugin(name: "ModelCompilerPlugin", package: "MomKit"),
    ]
  }
  // What follows objects with Combine does so with OpenCombine.
  for target in package.targets where target.name == "GuidesTests" {
    target.dependencies += [
      .product(name: "OpenCombine", package: "OpenCombine"),
      .product(name: "OpenCombineDispatch", package: "OpenCombine"),
      .product(name: "OpenCombineFoundation", package: "OpenCombine"),
    ]
  }
#endif
