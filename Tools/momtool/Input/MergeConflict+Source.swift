import DataModels
import Foundation
import ModelEvolution
import ModelSource

extension MergeConflict {
  /// Converts a conflict in content that only sources have.
  init(_ conflict: SourceConflict) {
    var rest = conflict.place[...]
    let path = ModelPath(taking: &rest)
    let way = rest.map { place in
      "<\(place.kind)\(place.name.map { " \(ModelNames.plain($0))" } ?? "")> "
    }
    func value(_ text: String?) -> ModelValue {
      text.map { .text($0.count > Self.mostShown ? "\($0.prefix(Self.mostShown))…" : $0) } ?? .none
    }
    let (base, ours, theirs) = (value(conflict.base), value(conflict.ours), value(conflict.theirs))
    let message =
      switch conflict.kind {
      case .addedDifferently: "both added it: ours says \(ours), theirs \(theirs)"
      case .changedDifferently: "was \(base); ours made it \(ours), theirs \(theirs)"
      case .removedAndChanged:
        conflict.ours == nil
          ? "was \(base); ours removed it, theirs made it \(theirs)"
          : "was \(base); ours made it \(ours), theirs removed it"
      case .removedButUsed:
        conflict.ours == nil
          ? "ours removed it, theirs newly uses it" : "theirs removed it, ours newly uses it"
      }
    self.init(
      Kind(conflict.kind), at: path, fact: way.joined() + conflict.subject, base: base, ours: ours,
      theirs: theirs, taken: conflict.keepsOurs ? .ours : .theirs, message)
  }

  /// Where a merged source doesn't say what the merged model does, or can't be read.
  ///
  /// - Parameter sides: The models whose sources may have errors, which the merged source then may have as well.
  static func misreadings(
    of contents: Data, as model: NSManagedObjectModel, path: String,
    tolerating sides: [NSManagedObjectModel] = []
  ) -> [MergeConflict] {
    do {
      let known = Set(
        sides.flatMap(SourceModel.diagnostics(ofSourceOf:)).filter { $0.severity == .error }
          .map(\.message))
      var options = SourceReadingOptions()
      options.isTolerant = !known.isEmpty
      let written = try SourceModel(data: contents, path: path, options: options)
      let errors = written.diagnostics.filter {
        $0.severity == .error && !known.contains($0.message)
      }
      guard errors.isEmpty else { throw ModelSourceError(diagnostics: errors) }
      return ModelDifference(from: model, to: written.model).changes.map { change in
        MergeConflict(
          .invalid, at: change.path, taken: nil,
          "what would be written isn't what was merged: \(change.sentence)")
      }
    } catch {
      return Diagnostics.messages(for: error, path: path).map {
        MergeConflict(.invalid, at: .model, taken: nil, $0)
      }
    }
  }

  /// The most characters shown of a text, since unknown elements may be of any size.
  private static let mostShown = 300
}

extension MergeConflict.Kind {
  fileprivate init(_ kind: SourceConflict.Kind) {
    self =
      switch kind {
      case .changedDifferently: .changedDifferently
      case .addedDifferently: .addedDifferently
      case .removedAndChanged: .removedAndChanged
      case .removedButUsed: .removedButUsed
      }
  }
}

extension ModelPath {
  /// The path for the part of a source location that models have paths for.
  fileprivate init(taking place: inout ArraySlice<SourceConflict.Place>) {
    guard let first = place.first, let name = first.name.map(ModelNames.plain) else {
      self = .model
      return
    }
    switch first.kind {
    case "entity": self = .entity(name)
    case "fetchRequest": self = .fetchRequest(name)
    case "configuration": self = .configuration(name)
    default:
      self = .model
      return
    }
    place.removeFirst()
    guard first.kind == "entity", let next = place.first,
      let inner = next.name.map(ModelNames.plain)
    else { return }
    switch next.kind {
    case "attribute", "relationship", "fetchedProperty": self = .property(inner, of: name)
    case "fetchIndex": self = .index(inner, of: name)
    default: return
    }
    place.removeFirst()
  }
}
