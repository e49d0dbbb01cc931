/// Takes over from another source what a merged model got from it: entities and their properties
/// with everything that only a source can say of them.
///
/// The elements are put into the source that is written to, and, as the writer would write them,
/// into its base, so that ``SourceMerge`` finds them there and leaves them as they are.
enum SourceGraft {
  /// A source's tree, and its model as the writer would write it.
  struct Trees {
    var base: SourceElement
    var original: SourceElement
  }

  /// Grafts what `current` has, `host` lacks and `donor` has.
  static func graft(_ current: SourceElement, from donor: Trees, onto host: inout Trees) {
    let known = names(of: host.original)
    let donated = index(donor.original)
    let donatedBase = index(donor.base)
    let knownBase = names(of: host.base)
    var whole: [(SourceElement, SourceElement)] = []
    for element in current.children {
      let key = Key(element)
      guard let given = donated[key], let givenBase = donatedBase[key] else { continue }
      guard let place = known[key] else {
        whole.append((given, givenBase))
        continue
      }
      guard element.name == "entity", let basePlace = knownBase[key] else { continue }
      var inner = Trees(
        base: host.base.children[basePlace], original: host.original.children[place])
      graftChildren(
        element, from: Trees(base: givenBase, original: given), onto: &inner)
      host.base.children[basePlace] = inner.base
      host.original.children[place] = inner.original
    }
    // At the end, as they move the places of what comes after them.
    for (given, givenBase) in whole { insert(given, givenBase, into: &host) }
  }

  private static func graftChildren(
    _ current: SourceElement, from donor: Trees, onto host: inout Trees
  ) {
    let known = names(of: host.original)
    let donated = index(donor.original)
    let donatedBase = index(donor.base)
    for element in current.children where known[Key(element)] == nil && element["name"] != nil {
      guard let given = donated[Key(element)], let givenBase = donatedBase[Key(element)] else {
        continue
      }
      insert(given, givenBase, into: &host)
    }
  }

  private static func insert(
    _ given: SourceElement, _ givenBase: SourceElement, into host: inout Trees
  ) {
    XcodeOrder.insert(given, into: &host.original)
    XcodeOrder.insert(givenBase, into: &host.base)
  }

  private struct Key: Hashable {
    let kind: String
    let name: String?

    init(_ element: SourceElement) {
      kind = element.name
      name = element["name"]
    }
  }

  private static func index(_ element: SourceElement) -> [Key: SourceElement] {
    Dictionary(element.children.map { (Key($0), $0) }) { first, _ in first }
  }

  private static func names(of element: SourceElement) -> [Key: Int] {
    Dictionary(element.children.enumerated().map { (Key($1), $0) }) { first, _ in first }
  }
}
