/// A class name with the module in place of the leading point that stands for it.
///
/// Without a module the name stays as it is, point and all, as the compiler leaves it.
func moduleQualified(_ className: String, module: String?) -> String {
  guard className.hasPrefix("."), let module, !module.isEmpty else { return className }
  return module + className
}
