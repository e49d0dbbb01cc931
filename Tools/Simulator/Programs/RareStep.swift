/// What a context of an open program does now and then: the reference doesn't say what comes of it, only what always holds
/// is checked.
enum RareStep: Codable, Sendable, Hashable {
  /// Moves the coordinator's stores to other files, as "Save As" does.
  case moveStores
  /// Removes a store from the coordinator and adds it again, while contexts have objects of it.
  case readd(store: Int)
  /// Removes a store, saves what is left, and adds it again.
  case saveWithout(store: Int)
  /// Replaces the coordinator's stores by copies of themselves.
  case replaceStores
  /// Deletes the history of all that was saved.
  case deleteHistory
  case detectConflicts(ObjectName)
  /// Inserts an object again, mostly one that was deleted.
  case insertAgain(ObjectName)
  /// Deletes rows by the identities of objects.
  case deleteRows([ObjectName], merging: Bool)
  /// Does something that isn't recorded for undo.
  case setUnrecorded(ObjectName, String, to: Int?)

  /// The objects that it names.
  var objects: [ObjectName] {
    switch self {
    case .detectConflicts(let name), .insertAgain(let name), .setUnrecorded(let name, _, _): [name]
    case .deleteRows(let names, _): names
    case .moveStores, .readd, .saveWithout, .replaceStores, .deleteHistory: []
    }
  }

  /// The step with other names for the objects.
  func renaming(_ new: (ObjectName) -> ObjectName) -> RareStep {
    switch self {
    case .detectConflicts(let name): .detectConflicts(new(name))
    case .insertAgain(let name): .insertAgain(new(name))
    case .deleteRows(let names, let merging): .deleteRows(names.map(new), merging: merging)
    case .setUnrecorded(let name, let key, let value): .setUnrecorded(new(name), key, to: value)
    case .moveStores, .readd, .saveWithout, .replaceStores, .deleteHistory: self
    }
  }

  /// The attributes that it names.
  var keys: [String] {
    if case .setUnrecorded(_, let key, _) = self { [key] } else { [] }
  }

  /// Whether it leaves what is changed in the contexts as it is.
  var keepsChanges: Bool {
    switch self {
    case .moveStores, .deleteHistory, .detectConflicts, .deleteRows: true
    case .readd, .saveWithout, .replaceStores, .insertAgain, .setUnrecorded: false
    }
  }

  /// Whether what contexts have read may differ from then on from what others read.
  var disturbs: Bool {
    switch self {
    case .deleteRows, .readd, .saveWithout, .replaceStores, .insertAgain: true
    case .moveStores, .deleteHistory, .detectConflicts, .setUnrecorded: false
    }
  }

  /// Whether the objects that contexts have lose their store: they have no values any more, as in Core Data.
  var endsObjects: Bool {
    switch self {
    case .readd, .saveWithout, .replaceStores: true
    default: false
    }
  }

  /// Whether it may change the files.
  var writes: Bool {
    switch self {
    case .moveStores, .saveWithout, .replaceStores, .deleteRows: true
    case .readd, .deleteHistory, .detectConflicts, .insertAgain, .setUnrecorded: false
    }
  }

  var text: String {
    switch self {
    case .moveStores: "moveStores()"
    case .readd(let store): "removeAndAdd(store \(store))"
    case .saveWithout(let store): "saveWithout(store \(store))"
    case .replaceStores: "replaceStores()"
    case .deleteHistory: "deleteHistory()"
    case .detectConflicts(let name): "detectConflicts(o\(name))"
    case .insertAgain(let name): "insert(o\(name))"
    case .deleteRows(let names, let merging):
      "deleteRows([\(names.map { "o\($0)" }.joined(separator: ", "))]\(merging ? ", merging" : ""))"
    case .setUnrecorded(let name, let key, let value):
      "unrecorded { o\(name).\(key) = \(value.map(String.init) ?? "nil") }"
    }
  }
}

extension Program {
  /// Adds rare steps at random places of an open program.
  mutating func addRareSteps(_ random: inout RandomSource) {
    guard isOpen, random.happens(40) else { return }
    for _ in 0...random.below(3) {
      // Contexts are looked at after the last step.
      let last = operations.count - setup.contexts.count
      guard last > 0, let step = rareStep(&random) else { return }
      let context = random.below(setup.contexts.count)
      operations.insert(.rare(context, step), at: random.below(last))
    }
  }

  private func rareStep(_ random: inout RandomSource) -> RareStep? {
    let names = operations.map(\.lastName).filter { $0 > 0 }
    guard let name = random.pick(names) else { return nil }
    // Others would go on with the former files.
    let ownsFiles = setup.coordinatorCount == 1 && !setup.isOnServer
    let hasFiles = !setup.isInMemory || setup.wholeFile != nil
    switch random.below(9) {
    case 0 where ownsFiles && hasFiles: return .moveStores
    case 1 where ownsFiles && hasFiles && !setup.isInMemory: return .replaceStores
    case 2 where !setup.isInMemory && !setup.isOnServer:
      return .readd(store: random.below(model.storeCount))
    case 3 where !setup.isInMemory && !setup.isOnServer:
      return .saveWithout(store: random.below(model.storeCount))
    case 4 where setup.keepsHistory: return .deleteHistory
    case 5 where !setup.isInMemory:
      let merging = random.happens(60)
      return .deleteRows(random.some(names, atMost: 3), merging: merging)
    case 6: return .detectConflicts(name)
    case 7:
      guard let entity = random.pick(model.entities),
        let attribute = random.pick(
          model.attributes(of: entity.name).filter {
            $0.name != ModelPlan.serial && $0.counted == nil
          })
      else { return .insertAgain(name) }
      return .setUnrecorded(name, attribute.name, to: random.below(attribute.kind.valueCount))
    default: return .insertAgain(name)
    }
  }
}
