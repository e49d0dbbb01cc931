/// What an open program does beside the steps that the reference knows.
struct Customs: Codable, Sendable, Equatable {
  /// What the program's classes do when their objects are told of something.
  enum Handler: String, Codable, Sendable, CaseIterable {
    /// A new object makes another one, which is related to it.
    case relatesWhenInserted
    /// An object that is deleted ends its relationships, or deletes what it leads to.
    case endsBeforeDeletion, deletesBeforeDeletion
    /// An object that is saved makes a member, leads elsewhere, or deletes a member.
    case addsBeforeSaving, movesBeforeSaving, deletesBeforeSaving
    /// An object that has been saved changes.
    case changesAfterSaving
  }

  var handlers: [Handler] = []
  /// Whether deletions are propagated by saves only.
  var defersDeletions = false
  /// Whether some new objects enter their contexts later than they are related to others.
  var insertsLate = false

  static func random(_ random: inout RandomSource) -> Customs {
    var customs = Customs()
    customs.defersDeletions = random.happens(30)
    customs.insertsLate = random.happens(30)
    if random.happens(60) {
      customs.handlers = random.some(Handler.allCases, atMost: 2).sorted {
        $0.rawValue < $1.rawValue
      }
    }
    return customs
  }

  /// The same with one custom less each.
  var simpler: [Customs] {
    var list = handlers.indices.map { index in
      var fewer = self
      fewer.handlers.remove(at: index)
      return fewer
    }
    for key in [\Customs.defersDeletions, \.insertsLate] where self[keyPath: key] {
      var fewer = self
      fewer[keyPath: key] = false
      list.append(fewer)
    }
    return list
  }

  var text: String {
    let parts =
      handlers.map { "objects: \($0)" } + (defersDeletions ? ["deletions wait for saves"] : [])
      + (insertsLate ? ["some objects are inserted late"] : [])
    return "// " + parts.joined(separator: ", ")
  }
}
