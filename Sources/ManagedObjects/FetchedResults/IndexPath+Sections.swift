#if !canImport(ObjectiveC)
  import Foundation

  /// Index paths of two numbers: what UIKit and AppKit add to them.
  extension IndexPath {
    /// The path of a row of a section.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

    /// The path of an item of a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The section: the first number.
    public var section: Int {
      get { self[0] }
      set { self[0] = newValue }
    }

    /// The row: the second number.
    public var row: Int {
      get { self[1] }
      set { self[1] = newValue }
    }

    /// The item: the second number.
    public var item: Int {
      get { self[1] }
      set { self[1] = newValue }
    }
  }
#endif
