/// Makes random stacks of coordinators and contexts.
enum SetupGenerator {
  static func make(_ random: inout RandomSource, _ model: ModelPlan) -> Setup {
    var setup = Setup()
    setup.keepsHistory = random.happens(15)
    setup.contexts[0].isPrivate = random.happens(30)
    return setup
  }
}
