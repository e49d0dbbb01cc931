/// The vintage of a compiler: which equal texts and numbers of a model's archive were one object, and in
/// which order dictionaries stood.
///
/// Compilers before Xcode 13.4 left no stamp, but their files tell them apart. The vintages are named
/// after the release of Xcode from which on files of that kind were seen; the system on which momc
/// ran counted as much, so that two vintages overlap. All of them are read alike; a vintage matters only to
/// who wants the same bytes.
public enum CompilerVintage: String, Hashable, Sendable, CaseIterable {
  /// Xcode 6: momc of 32 bits, whose hash tables give other orders; numbers from 13 on are an object
  /// wherever they stand.
  case xcode6 = "6"
  /// Xcode 7 and, on older systems, 8: the same, but that equal default values are one object.
  case xcode7 = "7"
  /// The first momc of 64 bits: short texts and numbers are shared, names of Foundation's classes too,
  /// and dictionaries are copied once more.
  case xcode8 = "8"
  /// Xcode 9 to 11: names of classes are an object wherever they stand.
  case xcode9 = "9"
  /// The same, with the names of Foundation's classes shared, as some systems had it.
  case xcode11 = "11"
  /// Xcode 12 and 13: as ``xcode9``, with another order of the archive's own keys.
  case xcode12 = "12"
  /// Xcode 13.4 and newer, and some files since Xcode 12.
  case modern = "13.4"
}
