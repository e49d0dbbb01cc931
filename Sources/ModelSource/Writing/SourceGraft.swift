/// Copies the elements that a merged model got from another source, with all content that only sources have.
///
/// The elements are inserted into the target source and, as the writer would write them, into its base, so that
/// ``SourceMerge`` finds them there and leaves them unchanged.
enum SourceGraft {
  /// The tree of a source, and that of its model as the writer would write it.
  struct Trees {
    var base: SourceElement
    var original: SourceElement
  }

  /// Grafts elements of `donor` that `current` has but `host` lacks.
  // The recursion follows the tree, whose depth is bounded by the parser.
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
    // Inserted last, because insertions shift the indexes of later elements.
    for (given, givenBase) in whole {
      XcodeOrder.insert(given, into: &host.original)
      XcodeOrder.insert(givenBase, into: &host.base)
    }
  }
}
