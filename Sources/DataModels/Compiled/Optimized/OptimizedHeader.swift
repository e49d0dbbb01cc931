/// The locations and sizes of an image's sections.
struct OptimizedHeader {
  /// A generation of the format, identified by the 58 characters after `momv2$`; they change whenever a framework
  /// changes the format.
  enum Generation {
    /// The header has 22 words; there are no derived attributes.
    case early
    /// The header has 23 words.
    case current
  }

  /// The characters that identify each generation.
  private static let magics: [(text: String, generation: Generation)] = [
    ("!!!aeroiew975-175=1gh", .early), ("230489nfas439ns18dgf", .early),
    ("6eeeef3a58ea8ceaa44e", .early), ("[]qre9743jpo9ad3q;lj", .early),
    ("[]77y234078nf3490324", .early), ("8129374fj;a30[5yo-]0", .current),
    ("srsraori55717101jhus", .current),
  ]
  /// The size of the magic in bytes.
  private static let magicSize = 64

  let generation: Generation
  private(set) var model = 0
  private(set) var entities = 0
  private(set) var entityCount = 0
  private(set) var properties = 0
  private(set) var propertyCount = 0
  private(set) var data = 0
  private(set) var dataCount = 0
  private(set) var strings = 0
  private(set) var names = 0
  private(set) var requests = 0

  init(_ bytes: [UInt8]) throws(ModelFileError) {
    let head = bytes.prefix(Self.magicSize).dropFirst(OptimizedModel.magic.count)
    let known = Self.magics.first { head.starts(with: $0.text.utf8) }
    guard let known else {
      throw ModelFileError(
        .malformed,
        head.count < Self.magicSize - OptimizedModel.magic.count
          ? "the optimized model ends in its header"
          : "an optimized model of a generation that isn't known; read the .mom beside it",
        offset: 0)
    }
    generation = known.generation
    var cursor = OptimizedCursor(bytes, at: Self.magicSize)
    // The header stores sizes before alignment; sections begin at the next multiple of 4.
    func section() throws(ModelFileError) -> Int { (try cursor.word() + 3) & ~3 }
    model = try section()
    entities = try section()
    entityCount = try cursor.word()
    properties = try section()
    propertyCount = try cursor.word()
    // Counts by kind of property, with a count of derived attributes in the current generation; then the mappings from
    // names to positions.
    try cursor.skip((generation == .current ? 7 : 6) * 4)
    data = try section()
    dataCount = try cursor.word()
    strings = try section()
    try cursor.skip(4)
    names = try section()
    try cursor.skip(4)
    requests = try section()
    for section in [model, entities, properties, data, strings, names, requests]
    where section > bytes.count {
      throw ModelFileError(
        .malformed, "a section begins at byte \(section) of \(bytes.count)", offset: 64)
    }
  }
}
