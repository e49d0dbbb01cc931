/// The optimised form of a compiled model (`.omo`).
enum OptimizedModel {
  /// How every generation of the format begins.
  static let magic = Array("momv2$".utf8)
}
