import SwiftSyntax

/// Rewrites imports of modules that don't exist here.
final class ImportRewriter: SourceVisitor {
  private var hasCoreData = false
  private var usesCoreData = false
  private var usesPublishers = false
  private var imported: Set<String> = []
  private var sharedNames: Set<String> = []

  /// Frameworks of Apple's platforms without a counterpart elsewhere.
  static let missing: Set<String> = [
    "ActivityKit", "AddressBook", "AppIntents", "AppKit", "AVFoundation", "AVKit", "CloudKit",
    "Cocoa",
    "Contacts", "CoreAudio", "CoreGraphics", "CoreImage", "CoreLocation", "CoreML", "CoreMotion",
    "CoreServices", "CoreSpotlight", "CoreText", "Darwin", "EventKit", "GameKit", "HealthKit",
    "IOKit", "MapKit", "MessageUI", "MobileCoreServices", "NaturalLanguage", "Network",
    "ObjectiveC",
    "OSLog", "PassKit", "Photos", "QuartzCore", "QuickLook", "SafariServices", "SceneKit",
    "Security",
    "Social", "SpriteKit", "StoreKit", "SwiftData", "SwiftUI", "SystemConfiguration", "UIKit",
    "UniformTypeIdentifiers", "UserNotifications", "Vision", "WatchConnectivity", "WatchKit",
    "WebKit",
    "WidgetKit", "XCTestObservation", "XPC",
  ]

  /// Whether Core Data provides a name, or Foundation does so only on Apple's platforms and MomKit here. A source may
  /// use such names without an import if another header imports them.
  private static func isCoreData(_ name: String) -> Bool {
    let names: Set<String> = [
      "NSAttributeDescription", "NSComparisonPredicate", "NSCompoundPredicate", "NSExpression",
      "NSPredicate",
      "NSRelationshipDescription",
      "NSSortDescriptor", "NSValueTransformerName", "Selector", "UndoManager", "ValueTransformer",
      "autoreleasepool",
    ]
    return names.contains(name)
      || ["NSManagedObject", "NSPersistent", "NSFetch", "NSEntity"].contains { name.hasPrefix($0) }
  }

  /// Names that packages may declare themselves: generic types that Foundation has since added under the same names,
  /// and types that MomKit adds to Core Data's.
  private static let shared: Set<String> = [
    "AnyFetchRequest", "ArchivedValue", "ComparisonModifier", "ComparisonOperator",
    "ComparisonOptions", "CompiledFiles", "CompilerStamp", "CompilerVintage", "Expression",
    "ExpressionProgram", "ExpressionTree", "ExpressionVisitor", "FetchUpdate", "FetchUpdates",
    "FetchedResultsSnapshot", "HashDifference", "KeyPathNames", "KeyValueObserver",
    "KeyValueObserving", "LoadedModel", "Managed", "ManagedObjectChanges",
    "ManagedObjectContextChanges", "ManagedProperty", "ManagedPropertyValue", "MappingArchive",
    "ModelArchive", "ModelBundle", "ModelCache", "ModelError", "ModelFile", "ModelFileError",
    "ModelFinding", "NamedClasses", "ObservableManagedObject", "PersistentHistoryTransactions",
    "Predicate", "PredicateFormatting", "PredicateLimits", "PredicateProgram", "PredicateSource",
    "PredicateTree", "PredicateValue", "PredicateVisitor", "PropertyValidator", "SortDescriptor",
    "SortKey", "StoreCheck", "StoreFile", "StoreFinding", "StoreMetadata", "TreeOutline",
    "VersionHashes", "VersionInfo",
  ]

  override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let module = node.path.first?.name.text else { return .skipChildren }
    imported.insert(module)
    if module == "CoreData" {
      if !node.isConditionalOnSystem { hasCoreData = true }
      if node.path.count > 1, node.importKindSpecifier == nil {
        rewriter.edits.replace(node.path.textRange, with: "CoreData")
        rewriter.note(.import, node)
      }
      return .skipChildren
    }
    guard !node.isConditionalOnSystem, !rewriter.options.modules.contains(module) else {
      return .skipChildren
    }
    if module == "Combine" {
      rewriter.standIns.insert(.combine)
      rewriter.edits.replace(
        node.path.textRange,
        with: "OpenCombine; import OpenCombineDispatch; import OpenCombineFoundation")
      rewriter.note(.import, node)
    } else if module == "os" || module == "OSLog" {
      rewriter.standIns.insert(.os)
      rewriter.edits.replace(node.textRange, with: "")
      rewriter.note(.import, node)
    } else if Self.missing.contains(module) {
      rewriter.edits.replace(node.textRange, with: "")
      rewriter.leave(
        .framework, node,
        "\(module) is only available on Apple's platforms: enclose the code that needs it in '#if canImport(\(module))' "
          + "and '#endif'")
    }
    return .skipChildren
  }

  override func visit(_ token: TokenSyntax) -> SyntaxVisitorContinueKind {
    guard case .identifier(let name) = token.tokenKind else { return .skipChildren }
    if Self.isCoreData(name) { usesCoreData = true }
    if name == "objectWillChange" { usesPublishers = true }
    if Self.shared.contains(name) { sharedNames.insert(name) }
    return .skipChildren
  }

  /// Publishers of an object's values: `person.publisher(for: \.name)`.
  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    if node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "publisher",
      let argument = node.arguments.first, argument.label?.text == "for",
      !argument.expression.trimmedDescription.hasPrefix("."),
      !argument.expression.trimmedDescription.contains("otification")
    {
      usesPublishers = true
    }
    return .visitChildren
  }

  override func finish() {
    if usesPublishers, rewriter.standIns.contains(.combine) {
      rewriter.standIns.insert(.publishers)
    }
    rewriter.importsCoreData = hasCoreData
    if usesCoreData, !hasCoreData { rewriter.needsImport = true }
    for module in imported.sorted() {
      for name in sharedNames.sorted() {
        guard let keyword = rewriter.index.topTypes[module]?[name] else { continue }
        // The package's own declaration takes precedence.
        rewriter.imports.append("import \(keyword) \(module).\(name)")
      }
    }
  }
}

/// A framework of Apple's with a replacement.
enum StandIn: String, Hashable {
  /// Combine, replaced by OpenCombine.
  case combine
  /// Combine's publishers of managed objects, replaced by those of MomKit's trait.
  case publishers
  /// `os`, whose lock and logger are included in the port.
  case os
}
