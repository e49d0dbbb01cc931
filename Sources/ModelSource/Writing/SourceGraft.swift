/// Takes over from another source what a merged model got from it: elements with everything that only a source can
/// say of them.
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
  // Recursion follows the tree, whose depth the parser bounds.
  static func graft(_ current: SourceElement, from donor: Trees, onto host: inout Trees) {
    guard !current.children.isEmpty, !donor.original.children.isEmpty else { return }
    let known = host.original.children.placesByIdentity
    let donated = donor.original.children.byIdentity
    let donatedBase = donor.base.children.byIdentity
    let knownBase = host.base.children.placesByIdentity
    var whole: [(SourceElement, SourceElement)] = []
    for (key, element) in current.children.identified {
      guard let given = donated[key], let givenBase = donatedBase[key] else { continue }
      guard let place = known[key] else {
        whole.append((given, givenBase))
        continue
      }
      guard let basePlace = knownBase[key], !element.children.isEmpty else { continue }
      var inner = Trees(
        base: host.base.children[basePlace], original: host.original.children[place])
      graft(element, from: Trees(base: givenBase, original: given), onto: &inner)
      host.base.children[basePlace] = inner.base
      host.original.children[place] = inner.original
    }
    // At the end, as they move the places of what comes after them.
    for (given, givenBase) in whole {
      XcodeOrder.insert(given, into: &host.original)
      XcodeOrder.insert(givenBase, into: &host.base)
    }
  }
}
