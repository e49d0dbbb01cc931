import MomKit

/// Compares a store's file, read with SQLite only, with the rules of the format and with the reference's rows.
struct FileComparison {
  private let stack: Stack
  private let step: Int

  init(_ stack: Stack, _ step: Int) {
    self.stack = stack
    self.step = step
  }

  func compare(_ world: ReferenceWorld) -> Failure? {
    guard !stack.setup.isInMemory else { return nil }
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
        if let failure = try compare(world, check, url) { return failure }
      }
      return nil
    } catch let error as Impossible {
      return Failure(kind: "file: impossible", step: step, text: error.what)
    } catch {
      return Failure(kind: "file: error", step: step, text: "\(error)")
    }
  }

  private func compare(
    _ world: ReferenceWorld, _ check: FileCheck, _ url: URL
  ) throws -> Failure? {
    let stem = url.deletingPathExtension().lastPathComponent
    let support = stack.folder.appendingPathComponent(".\(stem)_SUPPORT/_EXTERNAL_DATA")
    let actual = try FileViews(check: check, support: support, names: names(check.layout)).read()
    let expected = world.savedViews().filter { _, view in
      stack.plan.store(of: view.entity) == check.store
    }.mapValues(withoutArchives)
    let comparison = Comparison(step)
    if let found = comparison.difference(expected, actual.views, stack.plan, seesDerived: true) {
      return Failure(
        kind: "file: \(found.kind)", step: step,
        text: "expected \(found.expected)\nactual   \(found.actual)")
    }
    for (name, version) in actual.versions.sorted(by: { $0.key < $1.key })
    where !world.store.uncertain.contains(name) {
      guard let row = world.store.rows[name], row.version != version else { continue }
      return Failure(
        kind: "file: version", step: step,
        text: "expected \(name) has version \(row.version)\nactual   \(version)")
    }
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
