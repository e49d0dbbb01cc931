import DataModels

extension CompilerStamp {
  /// The stamps of the compilers whose output has been examined, oldest first.
  ///
  /// Compilers before Xcode 13.4 left no stamp.
  public static let known: [CompilerStamp] = [
    CompilerStamp(toolVersion: 20086, xcodeVersion: 13_04_00),
    CompilerStamp(toolVersion: 20086, xcodeVersion: 13_04_01),
    CompilerStamp(toolVersion: 21512, xcodeVersion: 14_01_00),
    CompilerStamp(toolVersion: 21513, xcodeVersion: 14_02_00),
    CompilerStamp(toolVersion: 22225, xcodeVersion: 15_00_01),
    CompilerStamp(toolVersion: 22522, xcodeVersion: 15_02_00),
    CompilerStamp(toolVersion: 22757, xcodeVersion: 15_03_00),
    CompilerStamp(toolVersion: 22758, xcodeVersion: 15_04_00),
    CompilerStamp(toolVersion: 23231, xcodeVersion: 16_00_00),
    CompilerStamp(toolVersion: 23507, xcodeVersion: 16_01_00),
    CompilerStamp(toolVersion: 23788.4, xcodeVersion: 16_04_00),
    CompilerStamp(toolVersion: 24299, xcodeVersion: 26_00_00),
    CompilerStamp(toolVersion: 24411, xcodeVersion: 26_01_01),
    CompilerStamp(toolVersion: 24512, xcodeVersion: 26_02_00),
  ]

  /// The stamp of the newest known compiler.
  public static let newest = CompilerStamp(toolVersion: 24512, xcodeVersion: 26_02_00)

  /// Creates the stamp of a release of Xcode, such as `15.4` or `13.4.1`; nil when it is unknown.
  public init?(xcode release: String) {
    let parts = release.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard (1...3).contains(parts.count) else { return nil }
    var version = 0
    for index in 0..<3 {
      guard let part = index < parts.count ? parts[index] : 0, (0...99).contains(part) else {
        return nil
      }
      version = version * 100 + part
    }
    guard let stamp = Self.known.first(where: { $0.xcodeVersion == version }) else { return nil }
    self = stamp
  }

  /// Parses a stamp in the form `XCODE:TOOL`, such as `150400:22758`; nil when the text is invalid.
  public init?(text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let xcode = Int32(parts[0]), xcode >= 0, let tool = Double(parts[1]),
      tool.isFinite, tool >= 0
    else { return nil }
    self.init(toolVersion: tool, xcodeVersion: Int(xcode))
  }

  /// The release of Xcode, such as `15.4` or `13.4.1`.
  public var xcodeRelease: String {
    let patch = xcodeVersion % 100
    return "\(xcodeVersion / 10000).\(xcodeVersion / 100 % 100)" + (patch == 0 ? "" : ".\(patch)")
  }
}
