/// Prints trees as text, in a single pass over the tree.
struct PredicatePrinter {
  let style: PrintStyle
  private(set) var text = ""
  private(set) var arguments: [PredicateValue] = []

  init(style: PrintStyle) { self.style = style }

  mutating func write(_ string: String) { text += string }

  /// Writes `value` as an argument.
  mutating func write(argument value: PredicateValue) {
    text += "%@"
    arguments.append(value)
  }

  /// Writes a key path as an argument, for keys that aren't identifiers.
  mutating func write(pathArgument path: String) {
    text += "%K"
    arguments.append(.string(path))
  }

  mutating func print(_ predicate: PredicateTree) {
    switch predicate {
    case .value(let value):
      write(value ? "TRUEPREDICATE" : "FALSEPREDICATE")
    case .comparison(let comparison):
      print(comparison)
    case .compound(let kind, let members):
      print(kind, members)
    case .opaque(let opaque):
      write(opaque.description)
    }
  }

  private mutating func print(_ comparison: PredicateTree.Comparison) {
    switch comparison.modifier {
    case .direct: break
    case .all: write("ALL ")
    case .any: write("ANY ")
    }
    print(comparison.left)
    write(" ")
    write(comparison.customSelector ?? comparison.type.symbol)
    if !comparison.options.letters.isEmpty { write("[\(comparison.options.letters)]") }
    write(" ")
    print(comparison.right)
  }

  private mutating func print(
    _ kind: PredicateTree.CompoundKind, _ members: [PredicateTree]
  ) {
    if kind == .not {
      write("NOT ")
      members.isEmpty ? write("TRUEPREDICATE") : print(member: members[0])
      return
    }
    if members.isEmpty {
      write(kind == .and ? "TRUEPREDICATE" : "FALSEPREDICATE")
      return
    }
    for (index, member) in members.enumerated() {
      if index > 0 { write(kind == .and ? " AND " : " OR ") }
      // A compound with a single member prints as that member.
      members.count == 1 ? print(member) : print(member: member)
    }
  }

  /// Prints a member of a compound, with parentheses if it is itself a compound.
  private mutating func print(member: PredicateTree) {
    guard case .compound(let kind, let members) = member, kind == .not || !members.isEmpty else {
      return print(member)
    }
    write("(")
    print(member)
    write(")")
  }
}

extension OpaquePredicate: CustomStringConvertible {
  /// `BLOCKPREDICATE(…)`, which can't be parsed.
  public var description: String { "BLOCKPREDICATE" }
}
