import Foundation

extension Compiler {
  func reader(_ tree: ExpressionTree) -> Reader {
    switch tree {
    case .constant(let value): return { _ in value }
    case .evaluatedObject: return { $0.subject.value }
    case .variable(let name):
      return { context throws(PredicateFormatError) in try context.value(ofVariable: name) }
    case .keyPath(let keyPath): return reader(keyPath)
    case .function(let function): return reader(function)
    case .set(let operation, let left, let right):
      let (left, right) = (reader(left), reader(right))
      return { context throws(PredicateFormatError) in
        try operation.apply(left(&context), right(&context))
      }
    case .keyPathSpecifier(let path): return { _ in .string(path) }
    case .symbol(let name): return { _ in .string(name) }
    case .subquery(let collection, let variable, let predicate):
      return subquery(over: reader(collection), as: variable, where: test(predicate))
    case .aggregate(let elements):
      if let values = Self.constants(elements) { return { _ in .array(values) } }
      let readers = elements.map { reader($0) }
      return { context throws(PredicateFormatError) in .array(try Self.values(readers, &context)) }
    case .anyKey:
      return { _ throws(PredicateFormatError) in
        throw PredicateFormatError(
          .unsupported, "ANYKEY can only be the left side of a comparison")
      }
    case .conditional(let predicate, let yes, let no):
      let (condition, yes, no) = (test(predicate), reader(yes), reader(no))
      return { context throws(PredicateFormatError) in
        try condition(&context) ? try yes(&context) : try no(&context)
      }
    case .assignment(let variable, let value):
      let value = reader(value)
      return { context throws(PredicateFormatError) in
        let assigned = try value(&context)
        context.bindings[variable] = assigned
        return assigned
      }
    case .fetch(let request, let context, let countOnly):
      return fetch(reader(request), in: reader(context), countOnly: countOnly)
    case .block(.tooDeep, _):
      return { _ throws(PredicateFormatError) in throw .nestedTooDeeply }
    case .block(let block, let arguments):
      let readers = arguments.map { reader($0) }
      return { context throws(PredicateFormatError) in
        let arguments = try Self.values(readers, &context).map { $0.foundationValue ?? NSNull() }
        return PredicateValue(reading: block.body(context.subject.object, arguments, nil))
      }
    }
  }

  /// The values of the expressions if all of them are constants.
  private static func constants(_ expressions: [ExpressionTree]) -> [PredicateValue]? {
    let values = expressions.compactMap { if case .constant(let value) = $0 { value } else { nil } }
    return values.count == expressions.count ? values : nil
  }

  private static func values(
    _ readers: [Reader], _ context: inout EvaluationContext
  ) throws(PredicateFormatError) -> [PredicateValue] {
    var values: [PredicateValue] = []
    values.reserveCapacity(readers.count)
    for reader in readers { values.append(try reader(&context)) }
    return values
  }

  private func reader(_ keyPath: ExpressionTree.KeyPath) -> Reader {
    let path = PreparedKeyPath(keyPath.path)
    guard keyPath.operand == .evaluatedObject else {
      let operand = reader(keyPath.operand)
      return { context throws(PredicateFormatError) in
        try path.value(from: try operand(&context))
      }
    }
    if let key = path.onlyKey {
      return { context throws(PredicateFormatError) in
        try context.subject.value(forKey: key)
      }
    }
    return { context throws(PredicateFormatError) in try path.value(from: context.subject) }
  }

  private func reader(_ function: ExpressionTree.Function) -> Reader {
    let arguments = function.arguments.map { reader($0) }
    if function.isBuiltIn {
      guard let builtIn = BuiltInFunction(selector: function.selector) else {
        return { _ throws(PredicateFormatError) in
          throw PredicateFormatError(
            .unknownFunction, "there is no function '\(function.selector)'")
        }
      }
      if builtIn == .objectAtIndex, arguments.count == 2 {
        return index(arguments[0], function.arguments[1])
      }
      let rules = rules
      return { context throws(PredicateFormatError) in
        try builtIn.call(try Self.values(arguments, &context), rules)
      }
    }
    let target = reader(function.operand)
    let selector = function.selector
    return { context throws(PredicateFormatError) in
      try target(&context).call(selector, try Self.values(arguments, &context))
    }
  }

  private func index(_ collection: @escaping Reader, _ index: ExpressionTree) -> Reader {
    if case .symbol(let symbol) = index {
      return { context throws(PredicateFormatError) in
        try collection(&context).element(named: symbol)
      }
    }
    let index = reader(index)
    return { context throws(PredicateFormatError) in
      try collection(&context).element(at: try index(&context))
    }
  }

  private func subquery(
    over collection: @escaping Reader, as variable: String, where test: @escaping Test
  ) -> Reader {
    { context throws(PredicateFormatError) in
      let elements = try collection(&context).elements(for: "SUBQUERY")
      let outer = context.bindings[variable]
      defer { context.bindings[variable] = outer }
      var selected: [PredicateValue] = []
      for element in elements {
        context.bindings[variable] = element
        if try test(&context) { selected.append(element) }
      }
      return .array(selected)
    }
  }

  private func fetch(
    _ request: @escaping Reader, in target: @escaping Reader, countOnly: Bool
  ) -> Reader {
    { context throws(PredicateFormatError) in
      let arguments = [try request(&context), .bool(countOnly)]
      return try target(&context).call("executeFetchRequest:countOnly:", arguments)
    }
  }
}
