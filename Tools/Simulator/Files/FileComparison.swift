import MomKit

/// Compares a store's file, read with SQLite only, with the rules of the format and with the reference's rows.
struct FileComparison {
  private let stack: Stack
  private let step: Int

  init(_ stack: Stack, _ step: Int) {
    self.stack = stack
    self.step = step
  }

  /// - Parameter world: takes the row versions that only the files tell.
  func compare(_ world: inout ReferenceWorld) -> Failure? {
    guard stack.hasTables else { return nil }
    var versions: [ObjectName: Int] = [:]
    let layout = FileLayout(stack.plan)
    do {
      for store in 0..<stack.plan.storeCount {
        let url = stack.url(of: store)
        let check = FileCheck(file: try StoreFile(at: url), layout: layout, store: store)
        let findings = check.findings(hasOneWriter: stack.contexts.count == 1)
        if let finding = findings.first {
          let rule = finding.prefix { $0 != ":" }
          return Failure(kind: "file: \(rule)", step: step, text: finding)
        }
        if let failure = try compare(world, check, url, &versions) { return failure }
      }
      return failure(of: versions, &world)
    } catch let error as Impossible {
      return Failure(kind: "file: impossible", step: step, text: error.what)
    } catch {
      return Failure(kind: "file: error", step: step, text: "\(error)")
    }
  }

  /// Takes the row versions that only the files tell, without a comparison.
  func learn(_ world: inout ReferenceWorld) throws {
    guard stack.hasTables, !world.store.uncertain.isEmpty else { return }
    let layout = FileLayout(stack.plan)
    var versions: [ObjectName: Int] = [:]
    for store in 0..<stack.plan.storeCount {
      let url = stack.url(of: store)
      let check = FileCheck(file: try StoreFile(at: url), layout: layout, store: store)
      versions.merge(try views(check, url).read().versions) { $1 }
    }
    _ = world.learnVersions(versions)
  }

  private func failure(
    of versions: [ObjectName: Int], _ world: inout ReferenceWorld
  ) -> Failure? {
    if let name = world.learnVersions(versions) {
      return failure(name, world.store.rows[name]?.version ?? 0, versions[name] ?? 0)
    }
    for (name, version) in versions.sorted(by: { $0.key < $1.key }) {
      guard let row = world.store.rows[name], row.version != version else { continue }
      return failure(name, row.version, version)
    }
    return nil
  }

  private func failure(_ name: ObjectName, _ expected: Int, _ actual: Int) -> Failure {
    Failure(
      kind: "file: version", step: step,
      text: "expected \(name) has version \(expected)\nactual   \(actual)")
  }

  private func views(_ check: FileCheck, _ url: URL) -> FileViews {
    let stem = url.deletingPathExtension().lastPathComponent
    let support = stack.folder.appendingPathComponent(".\(stem)_SUPPORT/_EXTERNAL_DATA")
    return FileViews(check: check, support: support, names: names(check.layout))
  }

  private func compare(
    _ world: ReferenceWorld, _ check: FileCheck, _ url: URL, _ versions: inout [ObjectName: Int]
  ) throws -> Failure? {
    let actual = try views(check, url).read()
    let expected = world.savedViews().filter { _, view in
      stack.plan.store(of: view.entity) == check.store
    }.mapValues(withoutArchives)
    let comparison = Comparison(step)
    if let found = comparison.difference(expected, actual.views, stack.plan, seesDerived: true) {
      return Failure(
        kind: "file: \(found.kind)", step: step,
        text: "expected \(found.expected)\nactual   \(found.actual)")
    }
    versions.merge(actual.versions) { $1 }
    return nil
  }

  private func withoutArchives(_ view: ObjectView) -> ObjectView {
    var view = view
    for attribute in stack.plan.attributes(of: view.entity) where attribute.kind == .transformable {
      view.attributes[attribute.name] = nil
    }
    return view
  }

  /// The names of the objects, by entity and key as in the library's URIs.
  private func names(_ layout: FileLayout) -> [RowKey: ObjectName] {
    var names: [RowKey: ObjectName] = [:]
    for (uri, name) in stack.names {
      let parts = uri.pathComponents.suffix(2)
      guard let entity = parts.first, let last = parts.last, let key = Int(last.dropFirst()) else {
        continue
      }
      names[RowKey(table: layout.table(of: entity), key: key)] = name
    }
    return names
  }
}
