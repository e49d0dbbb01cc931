/// Known programs, and variations of them: what is near to a bug that was found is worth more trials than the rest.
extension ProgramGenerator {
  /// A known program with other policies here and there, random operations between its own, and some left out.
  init(varying known: Program, _ source: RandomSource) {
    var random = source
    var program = known
    program.operations = []
    for index in program.setup.contexts.indices where random.happens(15) {
      program.setup.contexts[index].policy =
        random.pick(ContextPlan.Policy.allCases) ?? .error
    }
    if program.setup.contexts.count == 1, random.happens(15) {
      program.setup.contexts[0].undoes.toggle()
    }
    if !program.setup.isInMemory, random.happens(15) { program.setup.keepsHistory.toggle() }
    if random.happens(30) { program.open(&random) }
    let last = known.operations.map(\.lastName).max() ?? 0
    self.init(random, program, firstName: last + 1)
    let (less, more) = (self.random.below(15), self.random.below(40))
    for operation in known.operations {
      if self.random.happens(more) { appendOperation() }
      if !self.random.happens(less) { append(operation) }
    }
    for _ in 0..<self.random.below(12) { appendOperation() }
    lookEverywhere()
  }
}
