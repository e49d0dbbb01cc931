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
    let known = host.original.children.placesByIdentity
    let donated = donor.original.children.byIdentity
    let donatedBase = donor.base.children.byIdentity
    let knownBase = host.base.children.placesByIdentity
    var whole: [(SourceElement, SourceElement)] = []
    for element in current.children {
      let key = SourceIdentity(element)
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
    let known = host.original.children.placesByIdentity
    let donated = donor.original.children.byIdentity
    let donatedBase = donor.base.children.byIdentity
    for element in current.children
    where known[SourceIdentity(element)] == nil && element["name"] != nil {
      guard let given = donated[SourceIdentity(element)],
        let givenBase = donatedBase[SourceIdentity(element)]
      else {
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
}
