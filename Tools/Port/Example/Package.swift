// swift-tools-version: 6.1
import PackageDescription

// A package for Apple's platforms, whose sources use the Objective-C runtime.
let package = Package(
  name: "Shop",
  platforms: [.macOS(.v14), .iOS(.v17)],
  products: [.library(name: "Shop", targets: ["Shop"])],
  targets: [
    .target(name: "Shop", resources: [.process("Shop.xcdatamodeld")]),
    .testTarget(name: "ShopTests", dependencies: ["Shop"]),
    // Data layers in the style of books and tutorials.
    .target(name: "DataLayers", resources: [.process("DataLayers.xcdatamodeld")]),
    .testTarget(name: "DataLayersTests", dependencies: ["DataLayers"]),
    // The examples in Core Data's documentation.
    .testTarget(name: "GuidesTests", resources: [.process("Trips.xcdatamodeld")]),
    // A contemporary package, in Swift 6 mode.
    .target(
      name: "Bookshelf", resources: [.process("Bookshelf.xcdatamodeld")],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .testTarget(
      name: "BookshelfTests", dependencies: ["Bookshelf"], swiftSettings: [.swiftLanguageMode(.v6)]),
  ],
  swiftLanguageModes: [.v5]
)

#if !canImport(Darwin)
  // On other platforms, the sources are ported during the build.
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
  // On other platforms, OpenCombine stands in for Combine.
  for target in package.targets where target.name == "GuidesTests" {
    target.dependencies += [
      .product(name: "OpenCombine", package: "OpenCombine"),
      .product(name: "OpenCombineDispatch", package: "OpenCombine"),
      .product(name: "OpenCombineFoundation", package: "OpenCombine"),
    ]
  }
#endif
