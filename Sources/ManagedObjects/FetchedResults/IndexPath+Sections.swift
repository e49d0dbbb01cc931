#if !canImport(ObjectiveC)
  import Foundation

  /// Index paths with two elements, with the initializers and properties that UIKit and AppKit add.
  extension IndexPath {
    /// Creates the path of a row in a section.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

    /// Creates the path of an item in a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The section: the first element.
    public var section: Int {
      get { self[0] }
      set { self[0] = newValue }
    }

    /// The row: the second element.
    public var row: Int {
      get { self[1] }
      set { self[1] = newValue }
    }

    /// The item: the second element.
    public var item: Int {
      get { self[1] }
      set { self[1] = newValue }
    }
  }
#endif
