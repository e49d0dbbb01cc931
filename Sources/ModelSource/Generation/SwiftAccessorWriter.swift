/// Writes the Swift methods that add elements to and remove them from a to-many relationship.
///
/// With Core Data they are only declared, and implemented at run time; elsewhere they have bodies.
struct SwiftAccessorWriter {
  private struct Method {
    var selector: String
    var declaration: String
    var body: String
  }

  private let names: SwiftNames

  init(_ names: SwiftNames) { self.names = names }

  func accessors(
    for property: GeneratedProperty, of element: String, isOrdered: Bool, in type: String
  ) -> String {
    let methods =
      isOrdered ? ordered(property, element) : unordered(property, element)
    let managed = methods.map {
      "    @objc(\($0.selector))\n    @NSManaged public func \($0.declaration)"
    }
    let written = methods.map { "    public func \($0.declaration) {\n        \($0.body)\n    }" }
    return """

      // MARK: Generated accessors for \(property.name)
      #if canImport(ObjectiveC)
      extension \(type) {

      \(managed.joined(separator: "\n\n"))

      }
      #else
      extension \(type) {

      \(written.joined(separator: "\n\n"))

      }
      #endif

      """
  }

  private func unordered(_ property: GeneratedProperty, _ element: String) -> [Method] {
    members(
      property, element, in: "NSSet", changing: "mutableSetValue(forKey: \"\(property.name)\")"
    ) { $0 }
  }

  /// The methods that add and remove one or more elements, which ordered and unordered relationships have in common.
  private func members(
    _ property: GeneratedProperty, _ element: String, in collection: String,
    changing target: String, body: (String) -> String
  ) -> [Method] {
    let name = property.capitalizedName
    return [
      Method(
        selector: "add\(name)Object:", declaration: "addTo\(name)(_ value: \(element))",
        body: body("\(target).add(value)")),
      Method(
        selector: "remove\(name)Object:", declaration: "removeFrom\(name)(_ value: \(element))",
        body: body("\(target).remove(value)")),
      Method(
        selector: "add\(name):", declaration: "addTo\(name)(_ values: \(collection))",
        body: body("values.forEach { \(target).add($0) }")),
      Method(
        selector: "remove\(name):", declaration: "removeFrom\(name)(_ values: \(collection))",
        body: body("values.forEach { \(target).remove($0) }")),
    ]
  }

  private func ordered(_ property: GeneratedProperty, _ element: String) -> [Method] {
    let name = property.capitalizedName
    let key = "\"\(property.name)\""
    let index = names.type("Int")
    // A type or function of the system's in an expression would lead to a property of the same name.
    func change(_ statement: String) -> String {
      """
      let objects: NSMutableOrderedSet = .init()
              let present = self.value(forKey: \(key)) as? NSOrderedSet
              present?.forEach { objects.add($0) }
              \(statement)
              setValue(objects, forKey: \(key))
      """
    }
    func changeEach(_ statement: String) -> String {
      change(
        """
        var rest = values.makeIterator()
                indexes.forEach { if let value = rest.next() { \(statement) } }
        """)
    }
    return [
      Method(
        selector: "insertObject:in\(name)AtIndex:",
        declaration: "insertInto\(name)(_ value: \(element), at idx: \(index))",
        body: change("objects.insert(value, at: idx)")),
      Method(
        selector: "removeObjectFrom\(name)AtIndex:",
        declaration: "removeFrom\(name)(at idx: \(index))",
        body: change("objects.removeObject(at: idx)")),
      Method(
        selector: "insert\(name):atIndexes:",
        declaration: "insertInto\(name)(_ values: [\(element)], at indexes: NSIndexSet)",
        body: changeEach("objects.insert(value, at: $0)")),
      Method(
        selector: "remove\(name)AtIndexes:",
        declaration: "removeFrom\(name)(at indexes: NSIndexSet)",
        body: change("indexes.reversed().forEach { objects.removeObject(at: $0) }")),
      Method(
        selector: "replaceObjectIn\(name)AtIndex:withObject:",
        declaration: "replace\(name)(at idx: \(index), with value: \(element))",
        body: change("objects.replaceObject(at: idx, with: value)")),
      Method(
        selector: "replace\(name)AtIndexes:with\(name):",
        declaration: "replace\(name)(at indexes: NSIndexSet, with values: [\(element)])",
        body: changeEach("objects.replaceObject(at: $0, with: value)")),
    ] + members(property, element, in: "NSOrderedSet", changing: "objects", body: change)
  }
}
