#if !canImport(ObjectiveC)
  import Foundation

  /// How a table of objects holds and compares them.
  public enum NSPointerFunctions {
    /// Options of a table.
    public struct Options: OptionSet, Sendable {
      /// The bits, the same as Foundation's.
      public let rawValue: UInt
      /// Creates options from their bits.
      public init(rawValue: UInt) { self.rawValue = rawValue }

      /// Objects are retained.
      public static let strongMemory: Options = []
      /// Objects aren't retained, and disappear when they are deallocated.
      public static let weakMemory = Options(rawValue: 5)
      /// Objects are compared by `isEqual`.
      public static let objectPersonality: Options = []
      /// Objects are compared by identity.
      public static let objectPointerPersonality = Options(rawValue: 1 << 9)
      /// Has no effect.
      public static let copyIn = Options(rawValue: 1 << 16)

      var isWeak: Bool { isSuperset(of: .weakMemory) }
      var comparesIdentity: Bool { contains(.objectPointerPersonality) }
    }
  }

  /// An object of a table.
  struct TableMember {
    private let strong: AnyObject?
    private weak var weak: AnyObject?
    /// The hash value: an object that is gone has none.
    let hash: Int
    private let comparesIdentity: Bool

    init(_ object: AnyObject, _ options: NSPointerFunctions.Options) {
      strong = options.isWeak ? nil : object
      weak = object
      comparesIdentity = options.comparesIdentity
      hash = Self.hash(of: object, comparesIdentity: comparesIdentity)
    }

    static func hash(of object: AnyObject, comparesIdentity: Bool) -> Int {
      guard !comparesIdentity, let object = object as? NSObject else {
        return ObjectIdentifier(object).hashValue
      }
      return object.hash
    }

    /// The object; nil if it was deallocated.
    var object: AnyObject? { strong ?? weak }

    func isEqual(to other: AnyObject) -> Bool {
      guard let object else { return false }
      if object === other { return true }
      guard !comparesIdentity, let object = object as? NSObject else { return false }
      return object.isEqual(other)
    }
  }
#endif
