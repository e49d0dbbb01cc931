extension BinaryPropertyList {
  /// Opens a property list in either form, binary or XML.
  ///
  /// An XML list is turned into the binary form in memory, so that ``bytes`` are then not the
  /// file's own.
  ///
  /// - Throws: ``PropertyListError`` when it is neither, or not sound.
  public init(
    anyForm bytes: [UInt8], limits: PropertyListLimits = .default
  ) throws(PropertyListError) {
    if !Self.hasMagic(bytes), XMLPropertyList.looksLikeXML(bytes) {
      try self.init(XMLPropertyList.graph(bytes, limits: limits).binary(), limits: limits)
    } else {
      try self.init(bytes, limits: limits)
    }
  }
}
