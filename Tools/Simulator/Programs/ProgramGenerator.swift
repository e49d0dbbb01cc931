/// Generates the program for a seed. The reference performs each operation at once, and is used to choose operations
/// that are mostly meaningful.
struct ProgramGenerator {
  var random: RandomSource
  var world: ReferenceWorld
  var program: Program
  private var nextName = 1
  /// The remaining operations of a sequence.
  private var script: [Operation] = []
  /// How many operations the reference refused, by reason, and how many were tried.
  private(set) var refusals: [String: Int] = [:]
  private(set) var attempts = 0

  static func make(seed: UInt64, number: Int, length: Int = 60) -> Program {
    made(seed: seed, number: number, length: length).program
  }

  /// A generator that has made its program.
  ///
  /// The first programs are the known ones, as they are; later, every eighth program is a variation of one of them.
  static func made(seed: UInt64, number: Int, length: Int = 60) -> ProgramGenerator {
    var random = RandomSource(seed: seed &* 1_000_003 &+ UInt64(number))
    if number < KnownProgram.all.count {
      return ProgramGenerator(random, KnownProgram.all[number])
    }
    if number % 8 == 5, let known = random.pick(KnownProgram.all) {
      return ProgramGenerator(varying: known, random)
    }
    // Open programs with one relationship: what the reference leaves undecided most often.
    let isNarrow = number % 16 == 11
    var model = isNarrow ? ModelGenerator.makeNarrow(&random) : ModelGenerator.make(&random)
    if ServerStores.current != nil { model = model.onServer }
    var setup = SetupGenerator.make(&random, model)
    if ServerStores.current != nil { setup.moveToServer() }
    var program = Program(model: model, setup: setup, operations: [])
    if number % 4 == 3 { program.open(&random) }
    // By numbers of their own, so that all else of the program is what it would be without customs.
    var own = RandomSource(seed: seed &* 7_919 &+ UInt64(number))
    if program.isOpen, own.happens(50) { program.customs = .random(&own) }
    var generator = ProgramGenerator(random, program)
    generator.run(length: length)
    var rare = RandomSource(seed: seed &* 104_729 &+ UInt64(number))
    generator.program.addRareSteps(&rare)
    return generator
  }

  init(_ random: RandomSource, _ program: Program) {
    self.random = random
    self.program = program
    world = ReferenceWorld(program)
  }

  private mutating func run(length: Int) {
    for _ in 0..<length { appendOperation() }
    lookEverywhere()
  }

  /// Adds a random operation.
  mutating func appendOperation() {
    // An operation that can't be performed is chosen again.
    for _ in 0..<8 {
      guard let operation = nextOperation(), append(operation) else { continue }
      break
    }
  }

  /// Adds an operation unless it can't be performed, or what comes of it isn't specified; returns whether it did.
  @discardableResult
  mutating func append(_ operation: Operation) -> Bool {
    guard isDecided(operation) else { return false }
    program.operations.append(program.isOpen ? operation : faulty(operation))
    return true
  }

  /// Compares all objects of all contexts at the end.
  mutating func lookEverywhere() {
    for context in world.contexts.indices { program.operations.append(.look(context)) }
  }

  /// Adds the rest of a scene that has begun.
  mutating func finishScene() {
    while !script.isEmpty { append(script.removeFirst()) }
  }

  /// Applies an operation to the reference; returns false if its result is unspecified and the program isn't open.
  private mutating func isDecided(_ operation: Operation) -> Bool {
    attempts += 1
    do {
      _ = try world.attempt(operation)
      return true
    } catch {
      let why = (error as? Undecided)?.why ?? "\(error)"
      refusals["\(operation.sort ?? "")\t\(why)", default: 0] += 1
      // The reference doesn't know what it did, and goes on as if nothing had been done.
      return program.isOpen && (error as? Undecided)?.isImpossible == false
    }
  }

  private mutating func nextOperation() -> Operation? {
    if script.isEmpty, random.happens(program.isOpen ? 30 : 9) {
      // Many sequences need something that the model or the store doesn't have.
      for _ in 0..<4 where script.isEmpty { script = scene() }
    }
    return script.isEmpty ? makeOperation() : script.removeFirst()
  }

  private mutating func makeOperation() -> Operation? {
    let c = random.below(world.contexts.count)
    switch random.below(100) {
    case 0..<18: return insertion(c)
    case 18..<30: return setting(c)
    case 30..<52: return relating(c)
    case 52..<57: return some(c).map { .delete(c, $0) }
    case 57..<61: return .settle(c)
    case 61..<63:
      guard world.contexts[c].plan.undoes else { return .settle(c) }
      return random.happens(60) ? .undo(c) : .redo(c)
    case 63..<75: return .save(c)
    case 75..<83: return .look(c)
    case 83..<89: return .fetch(c, fetchPlan(c))
    case 89: return random.happens(50) ? selection(c) : .fetch(c, fetchPlan(c))
    case 93..<94: return .rollback(c)
    case 90..<93: return program.setup.isInMemory ? .settle(c) : batch(c)
    case 94: return random.happens(30) ? .reset(c) : .obtainIDs(c)
    case 95: return rarity(c)
    case 96..<98:
      let isMerging = random.happens(60)
      return some(c).map { .refresh(c, $0, merging: isMerging) }
    case 99:
      let source = random.below(world.contexts.count)
      let isTold = source != c && ![source, c].contains { world.contexts[$0].plan.isRemote }
      return isTold ? .merge(from: source, into: c) : .settle(c)
    case 98: return some(c).map { .existing(c, $0) }
    default: return .settle(c)
    }
  }

  private mutating func rarity(_ c: Int) -> Operation? {
    if program.setup.isInMemory {
      guard program.setup.wholeFile != nil, random.happens(60) else { return .refreshAll(c) }
      return random.happens(70) ? .reopen(c) : .setMetadata(c, to: random.below(9))
    }
    return switch random.below(12) {
    case 0..<3 where program.setup.isOnServer: .refreshAll(c)
    case 0..<2: .pin(c)
    case 2: .unpin(c)
    case 3: .reopen(c)
    case 4: .setMetadata(c, to: random.below(9))
    case 10, 11: evolution(c)
    default: .refreshAll(c)
    }
  }

  /// Adds a fault to some operations that write.
  private mutating func faulty(_ operation: Operation) -> Operation {
    // Faults are those of files.
    if case .under(_, let plain) = operation { return program.setup.isOnServer ? plain : operation }
    guard !program.setup.isOnServer else { return operation }
    guard operation.writes, !operation.isEvolution, random.happens(15) else { return operation }
    let fault = Fault.random(&random)
    // A batch's condition reads the objects that it names, and a save tells later of those that couldn't be read.
    guard operation.isSave || fault.kind != .readError else { return operation }
    return .under(fault, operation)
  }

  // MARK: Objects

  /// A random object that the context may use.
  mutating func some(_ c: Int, of entity: String? = nil) -> ObjectName? {
    let known = Set(world.contexts[c].objects.keys).union(world.store.rows.keys).sorted()
    let fit = known.filter { name in
      guard world.contexts[c].objects[name]?.isDeleted != true else { return false }
      guard let entity else { return true }
      return world.entity(name, in: .context(c)).map { world.model.isKind($0, of: entity) } == true
    }
    return random.pick(fit)
  }

  mutating func insertion(_ c: Int, of given: String? = nil) -> Operation? {
    guard let entity = given ?? random.pick(world.model.concreteEntities) else { return nil }
    var values: [String: Int] = [:]
    for attribute in world.model.attributes(of: entity)
    where attribute.name != ModelPlan.serial && attribute.counted == nil {
      let isNeeded = !attribute.isOptional && attribute.defaultValue == nil && random.happens(95)
      if isNeeded || random.happens(40) {
        values[attribute.name] = random.below(attribute.kind.valueCount)
      }
    }
    defer { nextName += 1 }
    return .insert(c, nextName, entity: entity, values)
  }

  /// Gives further objects names after this one.
  mutating func skipNames(to name: ObjectName) { nextName = max(nextName, name + 1) }

  /// A property name that isn't used yet.
  mutating func newName(_ prefix: String) -> String {
    defer { nextName += 1 }
    return "\(prefix)\(nextName)"
  }

  private mutating func batch(_ c: Int) -> Operation? {
    guard let entity = random.pick(world.model.entities)?.name else { return nil }
    let merging = random.happens(60)
    switch random.below(3) {
    case 0:
      guard let concrete = random.pick(world.model.concreteEntities) else { return nil }
      let rows = (0...random.below(3)).compactMap { _ -> [String: Int]? in
        guard case .insert(_, let name, _, var values) = insertion(c, of: concrete) else {
          return nil
        }
        values[ModelPlan.serial] = name
        return values
      }
      return .batchInsert(c, entity: concrete, rows, merging: merging)
    case 1:
      guard
        let attribute = random.pick(
          world.model.attributes(of: entity).filter { $0.name != ModelPlan.serial })
      else { return nil }
      let value = random.happens(80) ? random.below(attribute.kind.valueCount) : nil
      return .batchUpdate(
        c, entity: entity, conditionOf(entity, c), attribute.name, to: value, merging: merging)
    default:
      return .batchDelete(
        c, entity: entity, conditionOf(entity, c), merging: merging)
    }
  }

  private mutating func setting(_ c: Int) -> Operation? {
    guard let name = some(c), let entity = world.entity(name, in: .context(c)),
      let attribute = random.pick(
        world.model.attributes(of: entity).filter {
          $0.name != ModelPlan.serial && $0.counted == nil
        })
    else { return nil }
    let isNil = random.happens(attribute.isOptional ? 15 : 2)
    return .set(
      c, name, attribute.name, to: isNil ? nil : random.below(attribute.kind.valueCount))
  }

  private mutating func relating(_ c: Int) -> Operation? {
    guard let name = some(c), let entity = world.entity(name, in: .context(c)),
      let relationship = random.pick(world.model.relationships(of: entity))
    else { return nil }
    let key = relationship.name
    guard relationship.isToMany else {
      let isNil = random.happens(20)
      return .point(c, name, key, to: isNil ? nil : some(c, of: relationship.destination))
    }
    switch random.below(10) {
    case 0..<6:
      return some(c, of: relationship.destination).map { .add(c, name, key, member: $0) }
    case 6..<8:
      let members = world.toMany(name, key, in: .context(c))
      return random.pick(members).map { .remove(c, name, key, member: $0) }
    default:
      var members: [ObjectName] = world.toMany(name, key, in: .context(c))
      if let more = some(c, of: relationship.destination), !members.contains(more) {
        members.append(more)
      }
      return .replace(c, name, key, members: random.some(members, atMost: members.count))
    }
  }
}
