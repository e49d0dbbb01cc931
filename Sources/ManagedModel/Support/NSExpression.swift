import PredicateFormat

/// The expressions of derived attributes and indexes.
///
/// Foundation on Linux has an empty class of this name; a file that imports Foundation too says
/// which one it means with `import class ManagedModel.NSExpression`.
public typealias NSExpression = PredicateFormat.NSExpression
