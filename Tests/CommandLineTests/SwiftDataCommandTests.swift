import DataModels
import Foundation
import ManagedObjects
import ModelSource
import TestSupport
import Testing

/// `momtool generate --language swiftdata`, and `verify` and `guard` with frozen schemas.
@Suite struct SwiftDataCommandTests {
  /// A model with what SwiftData can and can't express.
  private static let rich = """
    <model userDefinedModelVersionIdentifier="1.2.0">
    <composite name="Place"><attribute name="city" optional="YES" attributeType="String"/>
    <attribute name="number" attributeType="Integer 32" defaultValueString="7"/></composite>
    <entity name="Customer" representedClassName="Person" isAbstract="YES">
    <attribute name="address" optional="YES" attributeType="Composite" composite="Place"/>
    <attribute name="class" optional="YES" attributeType="Transformable" \
    valueTransformerName="Codec" customClassName="[String]"/>
    <attribute name="email" attributeType="String"/>
    <attribute name="first" attributeType="String" defaultValueString="&quot;\\"/>
    <attribute name="last" optional="YES" attributeType="String" elementID="surname"/>
    <attribute name="photo" optional="YES" attributeType="Binary" \
    allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES" allowsCloudEncryption="YES" \
    spotlightIndexingEnabled="YES" versionHashModifier="2"/>
    <attribute name="mark" optional="YES" transient="YES" attributeType="Date"/>
    <attribute name="since" attributeType="Date" defaultDateTimeInterval="10.5"/>
    <attribute name="count" optional="YES" derived="YES" derivationExpression="orders.@count" \
    attributeType="Integer 64"/>
    <relationship name="orders" toMany="YES" ordered="YES" deletionRule="Cascade" \
    destinationEntity="Order" inverseName="customer" inverseEntity="Order"/>
    <fetchIndex name="byName"><fetchIndexElement property="last" type="Binary" order="ascending"/>\
    </fetchIndex>
    <uniquenessConstraints><uniquenessConstraint><constraint value="email"/>\
    </uniquenessConstraint><uniquenessConstraint><constraint value="first"/><constraint \
    value="last"/></uniquenessConstraint></uniquenessConstraints>
    </entity>
    <entity name="Company" parentEntity="Customer" elementID="Firm">
    <attribute name="size" attributeType="Integer 16"/>
    <uniquenessConstraints><uniquenessConstraint><constraint value="last"/>\
    </uniquenessConstraint><uniquenessConstraint><constraint value="count"/>\
    </uniquenessConstraint></uniquenessConstraints></entity>
    <entity name="Order">
    <attribute name="paid" attributeType="Boolean" defaultValueString="YES"/>
    <attribute name="total" attributeType="Decimal" defaultValueString="12.50"/>
    <attribute name="weight" attributeType="Double"/>
    <relationship name="customer" maxCount="1" minCount="1" destinationEntity="Customer" \
    inverseName="orders" inverseEntity="Customer"/></entity>
    <fetchRequest name="all" entity="Order" predicateString="TRUEPREDICATE"/>
    </model>
    """

  @Test func everythingSwiftDataHasAWordForIsSaid() throws {
    try Tool.withTemporaryFolder { folder in
      try Data(Self.rich.utf8).write(to: folder.appendingPathComponent("contents"))
      let run = try Tool.run(
        "generate", "contents", "--language", "swiftdata", "--name", "Shop", in: folder)
      #expect(run.status == 0)
      #expect(run.text == "ShopSchemaV1_2.swift\n")
      let file = folder.appendingPathComponent("ShopSchemaV1_2.swift")
      let text = try String(contentsOf: file, encoding: .utf8)
      for line in [
        "enum ShopSchemaV1_2: VersionedSchema {", "Schema.Version(1, 2, 0)",
        "  @Model\n  class Customer {", "  @Model\n  final class Company: Customer {",
        "#Unique<Customer>([\\.first, \\.last])", "#Unique<Company>([\\.last])",
        "#Index<Customer>([\\.last])",
        "@Attribute(.unique) var email: String\n", "var address: Address?\n",
        "@Attribute(.transformable(by: \"Codec\")) var `class`: [String]?\n",
        #"var first: String = "\"\\""# + "\n",
        "@Attribute(originalName: \"surname\") var last: String?\n",
        "@Attribute(.externalStorage, .preserveValueOnDeletion, .allowsCloudEncryption, .spotlight, "
          + "hashModifier: \"2\")\n    var photo: Data?\n",
        "@Attribute(.ephemeral) var mark: Date?\n",
        "var since: Date = Date(timeIntervalSinceReferenceDate: 10.5)\n",
        "@Relationship(deleteRule: .cascade, inverse: \\Order.customer) var orders: [Order] = []\n",
        "@Relationship(minimumModelCount: 1) var customer: Customer\n",
        "var total: Decimal = Decimal(string: \"12.5\") ?? 0\n", "var paid: Bool = true\n",
        "    struct Address: Codable {\n      var city: String?\n      var number: Int32 = 7\n    }\n",
        "    init(size: Int16, email: String) {\n      self.size = size\n"
          + "      super.init(email: email)\n    }\n",
        "@available(iOS 26, macOS 26, tvOS 26, watchOS 26, visionOS 26, *)\nextension ShopSchemaV1_2",
      ] { #expect(text.contains(line), "\(line)\n\(text)") }
      for note in [
        "Customer: SwiftData has no abstract models",
        "Customer.orders: SwiftData has no ordered relationships",
        "Customer.count: SwiftData has no derived attributes", "Company: 'count' has no key path",
        "Company: it was called 'Firm'",
        "SwiftData has no fetch requests in schemas (1)",
      ] {
        #expect(run.errors.contains("contents: warning: ShopSchemaV1_2: \(note)"), "\(run.errors)")
        #expect(text.contains("// \(note)"))
      }
      #expect(try SwiftDataStandIn.errors(of: [file], checkingTypes: false) == "")
      #expect(try SwiftDataStandIn.errors(of: [file], checkingTypes: true) == "")
      // Generating the same again reports nothing; a frozen schema that differs is left unchanged.
      let again = try Tool.run(
        "generate", "contents", "--language", "swiftdata", "--name", "Shop", in: folder)
      #expect(again.status == 0)
      try Data(Self.rich.replacing("12.50", with: "3").utf8)
        .write(to: folder.appendingPathComponent("contents"))
      let other = try Tool.run(
        "generate", "contents", "--language", "swiftdata", "--name", "Shop", in: folder)
      #expect(other.status == 2 && other.errors.contains("use --force to overwrite it"))
      #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }
  }

  /// Schemas of every third model in the corpus, each parsed and type-checked with a stand-in for SwiftData.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence)) func realModelsSchemasCompile() throws {
    try Tool.withTemporaryFolder { folder in
      var files: [URL] = []
      var typed: [URL] = []
      var seen: Set<Data> = []
      for source in Corpus.files(ofKind: "model-source") where source.path.hasSuffix("/contents") {
        let data = try Data(contentsOf: source.url)
        guard seen.insert(data).inserted, seen.count % 3 == 0 else { continue }
        let name = "Model\(seen.count)"
        let run = try Tool.run(
          "generate", source.url.path, "--language", "swiftdata", "--name", name, "-o", folder.path)
        guard run.status == 0 else { continue }
        let made = run.text.split(separator: "\n").map { URL(fileURLWithPath: String($0)) }
        #expect(made.count == 1, "\(source.path)")
        files += made
        // The app's own classes aren't available.
        if !String(decoding: data, as: UTF8.self).contains("customClassName=") { typed += made }
      }
      #expect(files.count > 50, "\(files.count)")
      #expect(try SwiftDataStandIn.errors(of: files, checkingTypes: false) == "")
      #expect(try SwiftDataStandIn.errors(of: typed, checkingTypes: true) == "")
    }
  }

  // MARK: Several versions

  private static func write(
    _ versions: [(String, [String])], current: String, to bundle: URL
  ) throws {
    for (name, attributes) in versions {
      let version = bundle.appendingPathComponent("\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      try Data(OrderSource.contents(attributes).utf8)
        .write(to: version.appendingPathComponent("contents"))
    }
    try Data(OrderSource.pointer(current).utf8)
      .write(to: bundle.appendingPathComponent(".xccurrentversion"))
  }

  private static let number = OrderSource.attribute("number", "Integer 64")
  private static let name = OrderSource.attribute("name")
  private static let required = OrderSource.attribute("name", optional: false)
  private static let versions = [
    ("Shop", [number]), ("Shop 2", [number, name]), ("Shop 3", [name, number]),
    ("Shop 10", [number, required]),
  ]

  @Test func severalVersionsGetAPlan() throws {
    try Tool.withTemporaryFolder { folder in
      let bundle = folder.appendingPathComponent("My shop.xcdatamodeld")
      try Self.write(Self.versions, current: "Shop 10", to: bundle)
      let run = try Tool.run(
        "generate", "My shop.xcdatamodeld", "--language", "swiftdata", "-o", "Schemas", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(
        run.text.split(separator: "\n").map { String($0.dropFirst("Schemas/".count)) } == [
          "MyShopSchemaV1.swift", "MyShopSchemaV3.swift", "MyShopSchemaV4.swift",
          "MyShopMigrationPlan.swift",
        ])
      #expect(run.errors.contains("Shop 2 has the version hashes of Shop 3, and is omitted"))
      let files = run.text.split(separator: "\n").map {
        folder.appendingPathComponent(String($0))
      }
      let plan = try String(contentsOf: files[3], encoding: .utf8)
      for line in [
        "[\n      MyShopSchemaV1.self,\n      MyShopSchemaV3.self,\n      MyShopSchemaV4.self,\n    ]",
        "static var from1To3: MigrationStage {\n    .lightweight(fromVersion: MyShopSchemaV1.self",
        "static var from3To4: MigrationStage {\n    // * ",
        "willMigrate: { context in",
      ] { #expect(plan.contains(line), "\(line)\n\(plan)") }
      #expect(try SwiftDataStandIn.errors(of: files, checkingTypes: false) == "")
      #expect(try SwiftDataStandIn.errors(of: files, checkingTypes: true) == "")
      // A single version keeps its number among all versions; an existing plan belongs to the user.
      try Data("mine".utf8).write(to: files[3])
      let one = try Tool.run(
        "generate", "My shop.xcdatamodeld@Shop 10", "--language", "swiftdata", "-o", "Schemas",
        in: folder)
      #expect(one.status == 0 && one.text == "Schemas/MyShopSchemaV4.swift\n", "\(one.errors)")
      let again = try Tool.run(
        "generate", "My shop.xcdatamodeld", "--language", "swiftdata", "-o", "Schemas", in: folder)
      #expect(again.status == 0 && again.errors.contains("the migration plan exists"))
      #expect(try String(contentsOf: files[3], encoding: .utf8) == "mine")
    }
  }

  // MARK: Stores, verify and guard

  /// Creates an empty store, like a SwiftData program with this schema version.
  private static func store(
    _ attributes: [String], identifier: String, at url: URL
  ) throws -> URL {
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    let model = try SourceModel(data: Data(OrderSource.contents(attributes).utf8)).model
    model.versionIdentifiers = [identifier]
    try NSPersistentStoreCoordinator(managedObjectModel: model).addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    return url
  }

  @Test func shippedStoresGiveSchemasThatStayAsTheyAre() throws {
    let repository = try TemporaryRepository()
    let folder = repository.folder
    // The order of the arguments doesn't matter, since stores record their version.
    for (version, attributes) in [
      ("2.0.0", [Self.number, Self.name]), ("1.0.0", [Self.number]), ("1.1.0", [Self.name]),
    ] {
      _ = try Self.store(
        attributes, identifier: version,
        at: folder.appendingPathComponent("fixtures/\(version)/default.store"))
    }
    let generated = try Tool.run(
      "generate", "fixtures/2.0.0/default.store", "fixtures/1.0.0/default.store",
      "--language", "swiftdata", "--name", "Shop", "-o", "App", in: folder)
    #expect(generated.status == 0, "\(generated.errors)")
    #expect(
      generated.text == "App/ShopSchemaV1.swift\nApp/ShopSchemaV2.swift\n"
        + "App/ShopMigrationPlan.swift\n")
    let verified = try Tool.run(
      "verify", "App/ShopSchemaV1.swift", "App/ShopSchemaV2.swift", "fixtures/1.0.0",
      "fixtures/2.0.0/default.store", in: folder)
    #expect(verified.status == 0, "\(verified.errors)")
    #expect(
      verified.text == """
        App/ShopSchemaV1.swift: as recorded
        App/ShopSchemaV2.swift: as recorded
        fixtures/1.0.0/default.store: as recorded, of ShopSchemaV1
        fixtures/2.0.0/default.store: as recorded, of ShopSchemaV2

        """)
    // A store of a version that was never frozen.
    let unknown = try Tool.run(
      "verify", "App/ShopSchemaV1.swift", "fixtures/1.1.0", "--format", "json", in: folder)
    #expect(unknown.status == 1)
    #expect(unknown.text.contains("\"unknown-schema\"") && unknown.text.contains("ShopSchemaV1"))

    try repository.commit("released")
    #expect(try Tool.run("guard", "--against", "HEAD", in: folder).status == 0)
    // White space inserted by a formatter isn't a change; a new type is.
    let place = folder.appendingPathComponent("App/ShopSchemaV1.swift")
    let text = try String(contentsOf: place, encoding: .utf8)
    try Data(text.replacing("\n  @Model", with: "\n\n      @Model").utf8).write(to: place)
    #expect(try Tool.run("guard", "--against", "HEAD", in: folder).status == 0)
    try Data(text.replacing("number: Int?", with: "number: Int16?").utf8).write(to: place)
    let edited = try Tool.run("guard", "--against", "HEAD", in: folder)
    #expect(edited.status == 1)
    #expect(
      edited.text == "App/ShopSchemaV1.swift: error: the released schema ShopSchemaV1 was changed: "
        + "its code differs from what was frozen [schema-changed]\n")
    let verify = try Tool.run("verify", "App/ShopSchemaV1.swift", in: folder)
    #expect(verify.status == 1)
    #expect(verify.text == "App/ShopSchemaV1.swift: the code was changed after it was frozen\n")
    // Re-created from another model, which verify accepts and guard rejects.
    _ = try Self.store(
      [Self.name, Self.number, OrderSource.attribute("more")], identifier: "1.0.0",
      at: folder.appendingPathComponent("other.store"))
    _ = try Tool.run(
      "generate", "other.store", "--language", "swiftdata", "--name", "Shop", "-o", "App",
      "--force", in: folder)
    #expect(try Tool.run("verify", "App/ShopSchemaV1.swift", in: folder).status == 0)
    let other = try Tool.run("guard", "--against", "HEAD", "App/ShopSchemaV1.swift", in: folder)
    #expect(other.status == 1 && other.text.contains("has other version hashes: Order"))
    // A moved schema is found; a missing one is reported.
    try Data(text.utf8).write(to: folder.appendingPathComponent("ShopSchemaV1.swift"))
    try FileManager.default.removeItem(at: place)
    for place in [folder, folder.appendingPathComponent("App")] {
      #expect(try Tool.run("guard", "--against", "HEAD", in: place).status == 0)
    }
    try FileManager.default.removeItem(at: folder.appendingPathComponent("ShopSchemaV1.swift"))
    let gone = try Tool.run("guard", "--against", "HEAD", in: folder)
    #expect(gone.status == 1 && gone.text.contains("[schema-removed]"))
  }

  /// A frozen schema named where it is now is compared with what it was, and a path that is nowhere is an error.
  @Test func schemasNamedWhereTheyAreNowAreCompared() throws {
    let repository = try TemporaryRepository()
    let folder = repository.folder
    _ = try Self.store(
      [Self.number], identifier: "1.0.0", at: folder.appendingPathComponent("shop.store"))
    let generated = try Tool.run(
      "generate", "shop.store", "--language", "swiftdata", "--name", "Shop", "-o", "App",
      in: folder)
    try #require(generated.text == "App/ShopSchemaV1.swift\n", "\(generated.errors)")
    try repository.write("build/\n", to: ".gitignore")
    try repository.commit("released")
    func run(_ arguments: String...) throws -> Tool.Outcome {
      try Tool.run(arguments: ["guard", "--against", "HEAD"] + arguments, in: folder)
    }
    let text = try repository.text(of: "App/ShopSchemaV1.swift")
    let edited = text.replacing("number: Int?", with: "number: Int16?")
    try #require(edited != text)
    let moved = "Core/ShopSchema.swift"
    try repository.write(edited, to: moved)
    // Its name is that of one that is still there.
    let copy = try run(moved)
    #expect(copy.status == 0 && copy.errors.contains("nothing was compared"), "\(copy.errors)")
    try FileManager.default.removeItem(at: folder.appendingPathComponent("App"))
    let changed = try run(moved)
    #expect(
      changed.status == 1 && changed.text.hasPrefix("\(moved): error: "),
      "\(changed.text)\(changed.errors)")
    #expect(changed.text.contains("[schema-changed]"), "\(changed.text)")
    let both = try run(moved, "App/ShopSchemaV1.swift")
    #expect(both.text.components(separatedBy: "[schema-changed]").count == 2, "\(both.text)")
    let unstaged = try run("--staged", moved)
    #expect(unstaged.status == 2)
    #expect(unstaged.errors.contains("it is neither staged nor in HEAD"), "\(unstaged.errors)")
    try repository.git("add", "-A")
    try repository.write(text, to: moved)
    #expect(try run(moved).status == 0)
    let staged = try run("--staged", moved)
    #expect(staged.status == 1 && staged.text.contains("[schema-changed]"), "\(staged.text)")
    for path in ["Core/ShopSchemaV1.swift", "App/ShopSchema.swift"] {
      let nowhere = try run(path)
      #expect(nowhere.status == 2)
      #expect(
        nowhere.errors.contains("\(path): error: it exists neither here nor in HEAD"),
        "\(nowhere.errors)")
    }
    try repository.write("struct New {}\n", to: "App/New.swift")
    let new = try run("App/New.swift")
    #expect(
      new.status == 0 && new.errors.contains("it is not in HEAD, so nothing was compared"),
      "\(new.errors)")
    // A hook names what was deleted since the release as well.
    try repository.git("add", "-A")
    try repository.git("commit", "-qm", "new")
    try repository.git("rm", "-q", "App/New.swift")
    let deleted = try Tool.run(
      arguments: ["guard", "--against", "HEAD~1", "--staged", "App/New.swift"], in: folder)
    #expect(deleted.status == 0, "\(deleted.errors)")
    try repository.git("reset", "-q", "--hard", "HEAD~1")
    try FileManager.default.removeItem(at: folder.appendingPathComponent("App"))
    try repository.write(text, to: moved)
    // Git ignores it.
    try FileManager.default.moveItem(
      at: folder.appendingPathComponent("Core"), to: folder.appendingPathComponent("build"))
    let gone = try run()
    #expect(gone.status == 1 && gone.text.contains("[schema-removed]"), "\(gone.text)")
  }

  @Test func whatIsNoSchemaIsTold() throws {
    try Tool.withTemporaryFolder { folder in
      try Data("struct A {}\n".utf8).write(to: folder.appendingPathComponent("A.swift"))
      try Data("// momtool-schema: A\nstruct A {}\n".utf8)
        .write(to: folder.appendingPathComponent("B.swift"))
      let none = try Tool.run("verify", "A.swift", in: folder)
      #expect(none.status == 2 && none.errors.contains("A.swift: error: not a frozen schema"))
      let torn = try Tool.run("verify", "B.swift", in: folder)
      #expect(torn.status == 2 && torn.errors.contains("isn't whole"))
      try Data(Self.rich.utf8).write(to: folder.appendingPathComponent("contents"))
      let name = try Tool.run(
        "generate", "contents", "--language", "swiftdata", "--name", "a b", in: folder)
      #expect(name.status == 2 && name.errors.contains("isn't a valid prefix for type names"))
      #expect(try Tool.run("generate", "contents", "--name", "A", in: folder).status == 64)
    }
  }
}
