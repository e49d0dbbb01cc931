import Synchronization

/// The classes of the program and its libraries by name, read from the metadata that the compiler emits in each image
/// for the Swift runtime: no class needs to be registered or used first.
///
/// Without the Objective-C runtime no function finds a class by a short name; the Swift runtime's lookup requires the
/// module. The descriptors of all types are in one section of each image, and the runtime enumerates these sections
/// (Swift Testing finds tests in the same way). Generic classes are excluded: they represent a class per set of
/// arguments.
///
/// Source: the layout of type context descriptors in Swift's ABI (docs/ABI, `Metadata.h`), stable on
/// Apple's systems and unchanged elsewhere since Swift 5.
enum RuntimeClasses {
  fileprivate struct Table {
    var sectionCount = 0
    var descriptors: [String: [ClassDescriptor]] = [:]
    /// The classes to which the program gives other names.
    var renamed: [String: [ObjectIdentifier: AnyClass]] = [:]
  }

  // Sendable: types are never unloaded and can be used on any thread.
  private struct Renamed: @unchecked Sendable { let classes: [AnyClass] }

  private static let table = Mutex(Table())

  /// Reads the type records again if a library was loaded since the last time.
  private static func read(_ table: inout Table) {
    let sections = TypeSections.all()
    guard sections.count != table.sectionCount else { return }
    table.sectionCount = sections.count
    table.descriptors = Dictionary(grouping: sections.flatMap(\.classes), by: \.name)
    table.readNames()
  }

  /// The names that ``NamedClasses`` gives a class, sorted.
  static func givenNames(of type: AnyClass) -> [String] {
    let id = ObjectIdentifier(type)
    return table.withLock { table in
      read(&table)
      return table.renamed.filter { $0.value[id] != nil }.keys.sorted()
    }
  }

  /// The only class with a name, `Person`, `Module.Person` or `Module.Outer.Person`, among those that `isWanted`
  /// accepts; nil if there are several.
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

  /// The components of a class's name: its module, the enclosing types, and its own name, including type arguments.
  static func names(of type: AnyClass) -> [String] {
    var (parts, part, depth, last) = ([String](), "", 0, Character(" "))
    for character in String(reflecting: type) {
      switch character {
      case "<", "(": depth += 1
      // The `>` of an arrow closes nothing.
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
    // A private type is nested in an anonymous context.
    return (parts + [part]).filter { !$0.hasPrefix("(") }
  }
}

extension RuntimeClasses.Table {
  /// Reads the names given by ``NamedClasses``.
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

/// The type records of an image.
private struct TypeSections {
  private let start: UnsafeRawPointer
  private let byteCount: Int

  /// The records of all images.
  static func all() -> [TypeSections] {
    var sections: [TypeSections] = []
    withUnsafeMutablePointer(to: &sections) { sections in
      enumerateMetadataSections(
        { image, context in
          // Four words, followed by the ranges of protocols, conformances and types, each as an address and a length.
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
      // The lowest bits encode the kind of reference.
      let target = record + Int(value & ~3)
      switch value & 3 {
      case 0: return ClassDescriptor(target)
      case 1: return ClassDescriptor(target.loadUnaligned(as: UnsafeRawPointer.self))
      default: return nil
      }
    }
  }
}

/// The descriptor of a class, as emitted by the compiler.
private struct ClassDescriptor: @unchecked Sendable {
  // Sendable: points into an image, which is neither written nor unloaded.
  private let address: UnsafeRawPointer

  /// Creates a descriptor from a type's; nil if it isn't a class, or is generic.
  init?(_ address: UnsafeRawPointer) {
    let flags = address.loadUnaligned(as: UInt32.self)
    let (kindMask, classKind, genericFlag): (UInt32, UInt32, UInt32) = (0x1f, 16, 0x80)
    guard flags & kindMask == classKind, flags & genericFlag == 0 else { return nil }
    self.address = address
  }

  /// The class's own name.
  var name: String { String(cString: relative(8).assumingMemoryBound(to: CChar.self)) }

  /// The class, initialized by the runtime.
  var type: AnyClass? {
    // The accessor returns the metadata and its state in the same registers as C.
    typealias Accessor = @convention(c) (UInt) -> UnsafeRawPointer?
    let accessor = unsafeBitCast(relative(12), to: Accessor.self)
    return accessor(0).map { unsafeBitCast($0, to: AnyClass.self) }
  }

  /// The target of a relative pointer, which is a distance from its own address.
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
