import Synchronization

/// The classes of the program and its libraries by their names, from what the compiler leaves in each
/// image for the Swift runtime: no class needs to be registered or used first.
///
/// Without the Objective-C runtime nothing finds a class by a short name; the runtime's own look-up wants
/// the module. The descriptions of all types lie in one section of each image, and the runtime hands
/// these sections out (Swift Testing finds tests in the same way). Generic classes are left out: they
/// are as many classes as they have arguments.
///
/// Source: the layout of type context descriptors in Swift's ABI (docs/ABI, `Metadata.h`), stable on
/// Apple's systems and unchanged elsewhere since Swift 5.
enum RuntimeClasses {
  fileprivate struct Table {
    var sectionCount = 0
    var descriptors: [String: [ClassDescriptor]] = [:]
    /// The classes that the program gives other names.
    var renamed: [String: [ObjectIdentifier: AnyClass]] = [:]
  }

  // Types never go, and belong to no thread.
  private struct Renamed: @unchecked Sendable { let classes: [AnyClass] }

  private static let table = Mutex(Table())

  /// The types' records, read again where a library was loaded since the last look.
  private static func read(_ table: inout Table) {
    let sections = TypeSections.all()
    guard sections.count != table.sectionCount else { return }
    table.sectionCount = sections.count
    table.descriptors = Dictionary(grouping: sections.flatMap(\.classes), by: \.name)
    table.readNames()
  }

  /// The names that ``NamedClasses`` give a class, sorted.
  static func givenNames(of type: AnyClass) -> [String] {
    let id = ObjectIdentifier(type)
    return table.withLock { table in
      read(&table)
      return table.renamed.filter { $0.value[id] != nil }.keys.sorted()
    }
  }

  /// The only class that a name stands for, `Person`, `Module.Person` or `Module.Outer.Person`, among
  /// those that `isWanted` accepts; nil if there are several.
  static func find(_ name: String, where isWanted: (AnyClass) -> Bool) -> AnyClass? {
    let components = name.split(separator: ".").map(String.init)
    guard let last = components.last else { return nil }
    let (candidates, renamed) = table.withLock { table in
      read(&table)
      return (
        table.descriptors[last] ?? [],
        Renamed(classes: Array(table.renamed[name]?.values ?? [:].values))
      )
    }
    let named = renamed.classes.filter(isWanted)
    if named.count == 1 { return named[0] }
    let found = candidates.compactMap(\.type).filter { type in
      components.count == 1 || names(of: type).suffix(components.count).elementsEqual(components)
    }.filter(isWanted)
    return found.count == 1 ? found[0] : nil
  }

  /// The parts of a class's name: its module, the types around it, its own, with the types that it is made of.
  static func names(of type: AnyClass) -> [String] {
    var (parts, part, depth, last) = ([String](), "", 0, Character(" "))
    for character in String(reflecting: type) {
      switch character {
      case "<", "(": depth += 1
      // An arrow closes nothing.
      case ">" where last != "-", ")": depth -= 1
      default: break
      }
      last = character
      if character == ".", depth == 0 {
        parts.append(part)
        part = ""
      } else {
        part.append(character)
      }
    }
    // What is private stands in a context that has no name.
    return (parts + [part]).filter { !$0.hasPrefix("(") }
  }
}

extension RuntimeClasses.Table {
  /// Reads the names that ``NamedClasses`` give.
  fileprivate mutating func readNames() {
    renamed = [:]
    for (name, descriptors) in descriptors where name.hasPrefix("NamedClasses_") {
      for case let type as any NamedClasses.Type in descriptors.compactMap(\.type) {
        for (name, named): (String, AnyClass) in type.classesByName {
          renamed[name, default: [:]][ObjectIdentifier(named)] = named
        }
      }
    }
  }
}

/// The records of an image's types.
private struct TypeSections {
  private let start: UnsafeRawPointer
  private let byteCount: Int

  /// Those of all images.
  static func all() -> [TypeSections] {
    var sections: [TypeSections] = []
    withUnsafeMutablePointer(to: &sections) { sections in
      enumerateMetadataSections(
        { image, context in
          // Four words, then the ranges of protocols, conformances and types: each an address and a
          // length.
          let words = image.assumingMemoryBound(to: UInt.self)
          if let start = UnsafeRawPointer(bitPattern: words[8]),
            let count = Int(exactly: words[9])
          {
            context?.assumingMemoryBound(to: [TypeSections].self).pointee
              .append(TypeSections(start: start, byteCount: count))
          }
          return true
        }, sections)
    }
    return sections
  }

  /// The classes among the types.
  var classes: [ClassDescriptor] {
    stride(from: 0, to: byteCount - 3, by: 4).compactMap { offset in
      let record = start + offset
      let value = record.loadUnaligned(as: Int32.self)
      // The lowest bits say what the record leads to.
      let target = record + Int(value & ~3)
      switch value & 3 {
      case 0: return ClassDescriptor(target)
      case 1: return ClassDescriptor(target.loadUnaligned(as: UnsafeRawPointer.self))
      default: return nil
      }
    }
  }
}

/// What the compiler says about a class.
private struct ClassDescriptor: @unchecked Sendable {
  // Safe to share: it points into an image, which nobody writes to and nobody unloads.
  private let address: UnsafeRawPointer

  /// Takes a type's description; nil if it isn't a class's, or a generic one's.
  init?(_ address: UnsafeRawPointer) {
    let flags = address.loadUnaligned(as: UInt32.self)
    let (kindMask, classKind, genericFlag): (UInt32, UInt32, UInt32) = (0x1f, 16, 0x80)
    guard flags & kindMask == classKind, flags & genericFlag == 0 else { return nil }
    self.address = address
  }

  /// The class's own name.
  var name: String { String(cString: relative(8).assumingMemoryBound(to: CChar.self)) }

  /// The class, made ready for use by the runtime.
  var type: AnyClass? {
    // It answers with the metadata and its state, for which C has the same registers.
    typealias Accessor = @convention(c) (UInt) -> UnsafeRawPointer?
    let accessor = unsafeBitCast(relative(12), to: Accessor.self)
    return accessor(0).map { unsafeBitCast($0, to: AnyClass.self) }
  }

  /// What a field leads to, whose value is a distance from itself.
  private func relative(_ offset: Int) -> UnsafeRawPointer {
    let field = address + offset
    return field + Int(field.loadUnaligned(as: Int32.self))
  }
}

@_silgen_name("swift_enumerateAllMetadataSections")
private func enumerateMetadataSections(
  _ body: @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer?) -> Bool,
  _ context: UnsafeMutableRawPointer?
)
