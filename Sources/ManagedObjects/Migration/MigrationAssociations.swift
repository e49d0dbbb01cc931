/// The associations between source and destination objects, by entity mapping.
struct MigrationAssociations {
  private struct Links {
    var destinations: [ObjectIdentifier: [NSManagedObject]] = [:]
    var sources: [ObjectIdentifier: [NSManagedObject]] = [:]
    var allSources = ObjectList()
    var allDestinations = ObjectList()
  }

  private var mappings: [String: Links] = [:]
  private var names: [String] = []

  mutating func add(_ source: NSManagedObject, _ destination: NSManagedObject, mapping: String) {
    if mappings[mapping] == nil { names.append(mapping) }
    mappings[mapping, default: Links()].destinations[ObjectIdentifier(source), default: []]
      .append(destination)
    mappings[mapping]?.sources[ObjectIdentifier(destination), default: []].append(source)
    mappings[mapping]?.allSources.append(source)
    mappings[mapping]?.allDestinations.append(destination)
  }

  func destinations(mapping: String, of sources: [NSManagedObject]?) -> [NSManagedObject] {
    guard let links = mappings[mapping] else { return [] }
    guard let sources else { return links.allDestinations.objects }
    return sources.flatMap { links.destinations[ObjectIdentifier($0)] ?? [] }
  }

  func sources(mapping: String, of destinations: [NSManagedObject]?) -> [NSManagedObject] {
    guard let links = mappings[mapping] else { return [] }
    guard let destinations else { return links.allSources.objects }
    return destinations.flatMap { links.sources[ObjectIdentifier($0)] ?? [] }
  }

  /// The destination objects that any mapping made from source objects.
  func destinations(of sources: [NSManagedObject]) -> [NSManagedObject] {
    sources.flatMap { source in
      names.flatMap { mappings[$0]?.destinations[ObjectIdentifier(source)] ?? [] }
    }
  }
}
