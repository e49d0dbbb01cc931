import DataModels
import Foundation
import PropertyLists

/// Converts the binary `elements` of Xcode 3 to the tree of an equivalent `contents`, so that all further processing is
/// the same.
struct LegacyModelReader {
  private let graph: ArchiveBrowser
  private let path: String

  /// Reads a file.
  ///
  /// - Throws: ``ModelSourceError`` when the file is not an archive of Xcode's modeller.
  static func document(data: Data, path: String) throws -> SourceDocument {
    let archive: KeyedArchive
    do {
      archive = try KeyedArchive([UInt8](data))
    } catch {
      throw ModelSourceError(
        .document, path: path, "the file is not an archive of Xcode's modeller: \(error)")
    }
    let reader = LegacyModelReader(graph: ArchiveBrowser(archive), path: path)
    return SourceDocument(root: try reader.model(), path: path)
  }

  // MARK: The model

  private func model() throws -> SourceElement {
    guard let root = graph.archive.topReference("root"),
      graph.className(of: root) == "XDPMModel"
    else {
      throw ModelSourceError(
        .document, path: path, "the archive's root is not a model of Xcode's modeller")
    }
    let model = graph.fields(of: root)
    let package = graph.fields(of: graph.reference(model["_xd_rootPackage"]))
    let entities = graph.members(of: package["XDBucketForClassesstorage"]).filter {
      graph.className(of: $0) == "XDPMEntity"
    }
    var element = SourceElement("model")
    element["type"] = ModelElements.documentType
    element["documentVersion"] = "1.0"
    element["minimumToolsVersion"] = "Automatic"
    element["userDefinedModelVersionIdentifier"] =
      graph.text(model["_modelVersionIdentifier"]) ?? ""
    element.children = entities.map(entity)
    element.children += entities.flatMap(fetchRequests)
    for (name, members) in graph.entries(of: model["_configurationsByName"]) {
      var configuration = SourceElement("configuration", [SourceAttribute("name", name)])
      configuration.children = graph.members(of: .reference(members)).map {
        SourceElement("memberEntity", [SourceAttribute("name", self.name(of: $0) ?? "")])
      }
      element.children.append(configuration)
    }
    return XcodeOrder.sorted(element)
  }

  private func name(of number: Int?) -> String? {
    graph.text(graph.fields(of: number)["_name"])
  }

  // MARK: Stereotypes

  /// The actual settings of an object: the tagged values of its stereotypes, by name.
  private func settings(of fields: [String: ArchiveValue]) -> [String: ArchiveValue] {
    var settings: [String: ArchiveValue] = [:]
    for stereotype in graph.members(of: fields["XDBucketForStereotypesstorage"]) {
      let values = graph.fields(of: stereotype)["XDBucketForOwnedAttributesstorage"]
      for value in graph.members(of: values) {
        let property = graph.fields(of: value)
        guard let name = graph.text(property["_name"]) else { continue }
        settings[name] = property["_default"]
      }
    }
    return settings
  }

  // MARK: Entities

  private func entity(_ number: Int) -> SourceElement {
    let fields = graph.fields(of: number)
    let settings = settings(of: fields)
    var element = SourceElement("entity")
    element["name"] = graph.text(fields["_name"])
    element["representedClassName"] = graph.text(settings["XD_PSK_entityClassName"])
    set("isAbstract", to: settings["XD_PSK_isAbstract"], on: &element)
    element["parentEntity"] =
      graph.members(of: fields["XDBucketForGeneralizationsstorage"])
      .lazy.compactMap { name(of: graph.reference(graph.fields(of: $0)["_general"])) }.first
    element["elementID"] = graph.text(settings["XD_PSK_elementID"])
    element["versionHashModifier"] = graph.text(settings["XD_PSK_versionHashModifier"])
    for property in graph.members(of: fields["XDBucketForOwnedAttributesstorage"]) {
      if let child = self.property(property) { element.children.append(child) }
    }
    element.children += tuples(
      settings["XDPMCompoundIndexes"], in: "compoundIndexes", each: "compoundIndex", item: "index")
    element.children += tuples(
      settings["XDPMUniquenessConstraints"], in: "uniquenessConstraints",
      each: "uniquenessConstraint", item: "constraint")
    addUserInfo(settings["XD_PSK_userInfo"], to: &element)
    return element
  }

  /// Lists of names: each is an array of strings, or a single string with commas.
  private func tuples(
    _ value: ArchiveValue?, in container: String, each kind: String, item: String
  ) -> [SourceElement] {
    let tuples = graph.members(of: value).map { tuple in
      graph.text(.reference(tuple)).map { $0.split(separator: ",").map(String.init) }
        ?? graph.members(of: .reference(tuple)).compactMap { graph.text(.reference($0)) }
    }.filter { !$0.isEmpty }
    return ModelElements.tuples(tuples, in: container, each: kind, item: item)
  }

  private func fetchRequests(ofEntity number: Int) -> [SourceElement] {
    let settings = settings(of: graph.fields(of: number))
    return graph.members(of: settings["XD_PSK_fetchRequestsArray"]).map(fetchRequest)
  }

  private func fetchRequest(_ number: Int) -> SourceElement {
    let fields = graph.fields(of: number)
    var element = SourceElement("fetchRequest")
    element["name"] = graph.text(fields["_name"])
    element["entity"] = name(of: graph.reference(fields["_entity"]))
    element["predicateString"] = graph.text(fields["_predicateString"])
    return element
  }

  // MARK: Properties

  private func property(_ number: Int) -> SourceElement? {
    let fields = graph.fields(of: number)
    let settings = settings(of: fields)
    var element: SourceElement
    switch graph.className(of: number) {
    case "XDPMAttribute": element = attribute(settings)
    case "XDPMRelationship": element = relationship(settings)
    case "XDPMFetchedProperty": element = fetchedProperty(fields, settings)
    default: return nil
    }
    element.attributes.insert(
      SourceAttribute("name", graph.text(fields["_name"]) ?? ""), at: 0)
    set("optional", to: settings["XD_PPSK_isOptional"], on: &element)
    set("transient", to: settings["XD_PPSK_isTransient"], on: &element)
    set("indexed", to: settings["XD_PPSK_isIndexed"], on: &element)
    set("spotlightIndexingEnabled", to: settings["XD_PPSK_isSpotlightIndexed"], on: &element)
    set("storedInTruthFile", to: settings["XD_PPSK_isStoredInTruthFile"], on: &element)
    element["elementID"] = graph.text(settings["XD_PPSK_elementID"])
    element["versionHashModifier"] = graph.text(settings["XD_PPSK_versionHashModifier"])
    addUserInfo(settings["XD_PPSK_userInfo"], to: &element)
    return element
  }

  private func attribute(_ settings: [String: ArchiveValue]) -> SourceElement {
    var element = SourceElement("attribute")
    let number = graph.integer(settings["XD_PAttK_attributeType"]) ?? 0
    let type = UInt(exactly: number).flatMap(NSAttributeType.init)
    // An unknown number becomes an unknown type, which the checks report.
    element["attributeType"] = type.map(\.sourceName) ?? "\(number)"
    let isDate = type == .dateAttributeType
    let texts = [
      ("XD_PAttK_defaultValueAsString", "defaultValueString", "defaultDateTimeInterval"),
      ("XD_PAttK_minValueString", "minValueString", "minDateTimeInterval"),
      ("XD_PAttK_maxValueString", "maxValueString", "maxDateTimeInterval"),
    ]
    for (key, attribute, interval) in texts {
      guard let text = graph.text(settings[key]) else { continue }
      element[isDate && Double(text) != nil ? interval : attribute] = text
    }
    element["regularExpressionString"] = graph.text(settings["XD_PAttK_regularExpressionString"])
    element["valueTransformerName"] = graph.text(settings["XD_PAttK_valueTransformerName"])
    set(
      "allowsExternalBinaryDataStorage", to: settings["XD_PAttK_allowsExternalBinaryDataStorage"],
      on: &element)
    return element
  }

  private func relationship(_ settings: [String: ArchiveValue]) -> SourceElement {
    var element = SourceElement("relationship")
    let destination = name(of: graph.reference(settings["XD_PRK_destination"]))
    let isToMany = graph.boolean(settings["XD_PRK_isToMany"]) ?? false
    if isToMany { element["toMany"] = "YES" }
    if let count = graph.integer(settings["XD_PRK_minCount"]), count != 0 {
      element["minCount"] = "\(count)"
    }
    let count = graph.integer(settings["XD_PRK_maxCount"]) ?? (isToMany ? 0 : 1)
    if count != 0 { element["maxCount"] = "\(count)" }
    let rule =
      UInt(exactly: graph.integer(settings["XD_PRK_deleteRule"]) ?? 1)
      .flatMap(NSDeleteRule.init) ?? .nullifyDeleteRule
    element["deletionRule"] = rule.sourceName
    set("ordered", to: settings["XD_PRK_ordered"], on: &element)
    element["destinationEntity"] = destination
    if let inverse = name(of: graph.reference(settings["XD_PRK_inverseRelationship"])) {
      element["inverseName"] = inverse
      element["inverseEntity"] = destination
    }
    return element
  }

  private func fetchedProperty(
    _ fields: [String: ArchiveValue], _ settings: [String: ArchiveValue]
  ) -> SourceElement {
    let keys = ["XD_PFP_fetchRequest", "_fetchRequest"]
    let request = keys.lazy.compactMap { graph.reference(settings[$0] ?? fields[$0]) }.first
    return SourceElement("fetchedProperty", children: request.map { [fetchRequest($0)] } ?? [])
  }

  // MARK: Common settings

  private func set(_ attribute: String, to value: ArchiveValue?, on element: inout SourceElement) {
    if graph.boolean(value) == true { element[attribute] = "YES" }
  }

  /// Adds the entries of a user info. The settings of Sync Services, which Xcode 3 stored there, have been replaced by
  /// the attribute `syncable`, and are dropped.
  private func addUserInfo(_ value: ArchiveValue?, to element: inout SourceElement) {
    let entries = graph.entries(of: value)
    let isSyncable = !entries.contains {
      $0.key == Self.syncServices + "Syncable" && graph.text(.reference($0.value)) == "NO"
    }
    if isSyncable { element["syncable"] = "YES" }
    let kept = entries.filter { !$0.key.hasPrefix(Self.syncServices) }.compactMap { entry in
      graph.text(.reference(entry.value)).map { text in
        SourceElement(
          "entry", [SourceAttribute("key", entry.key), SourceAttribute("value", text)])
      }
    }
    guard !kept.isEmpty else { return }
    element.children.append(
      SourceElement(
        "userInfo", children: kept.sorted { ($0["key"] ?? "") < ($1["key"] ?? "") }))
  }

  private static let syncServices = "com.apple.syncservices."
}
