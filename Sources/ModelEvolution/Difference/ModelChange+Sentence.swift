extension ModelChange {
  /// The change on one line, without colour: `Book.pages: optional was yes, is no`.
  public var sentence: String {
    let kindName = elementKind.rawValue
    switch kind {
    case .added: return "\(kindName) \(path) was added"
    case .removed: return "\(kindName) \(path) was removed"
    case .renamed: return "\(kindName) \(oldPath?.name ?? "") was renamed to \(path)"
    case .moved:
      if fact != nil { return "\(path): the parent was \(oldValue), is \(newValue)" }
      return "\(kindName) \(oldPath.map(\.description) ?? "") was moved to \(path)"
    case .changed: return "\(path): \(fact ?? "") was \(oldValue), is \(newValue)"
    }
  }
}
