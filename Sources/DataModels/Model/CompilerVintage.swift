/// The vintage of a compiler, which determines the equal strings and numbers of a model's archive that share one
/// object, and the order of its dictionaries.
///
/// Compilers before Xcode 13.4 left no stamp, but their files can be distinguished. A vintage is named after the first
/// release of Xcode for which such files were found. The system on which momc ran mattered too, so that two vintages
/// overlap. All vintages are read alike; the vintage matters only for reproducing the same bytes.
public enum CompilerVintage: String, Hashable, Sendable, CaseIterable {
  /// Xcode 6: a 32-bit momc, whose hash tables have different orders; numbers from 13 upwards are a new object at each
  /// occurrence.
  case xcode6 = "6"
  /// Xcode 7 and, on older systems, 8: the same, except that equal default values share one object.
  case xcode7 = "7"
  /// The first 64-bit momc: short strings and numbers are shared, as are the names of Foundation's classes, and
  /// dictionaries are copied once more.
  case xcode8 = "8"
  /// Xcode 9 to 11: class names are a new object at each occurrence.
  case xcode9 = "9"
  /// The same, but with shared names of Foundation's classes, as on some systems.
  case xcode11 = "11"
  /// Xcode 12 and 13: like ``xcode9``, with a different order of the archive's top-level keys.
  case xcode12 = "12"
  /// Xcode 13.4 and newer, and some files since Xcode 12.
  case modern = "13.4"
}
