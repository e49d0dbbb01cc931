/// A text listing of an archive's objects, each with its number, class and fields, in file order.
///
/// ```
/// keyed archive by NSKeyedArchiver, version 100000
/// root  #1 NSManagedObjectModel
///
/// #0  nil
/// #1  NSManagedObjectModel < NSObject
///     NSEntities               #2 NSMutableDictionary
///     NSFetchRequestTemplates  nil
/// #2  NSMutableDictionary < NSDictionary < NSObject
///     NS.keys     [#3 "Person"]
///     NS.objects  [#4 NSEntityDescription]
/// #3  "Person"
/// ```
///
/// References are annotated with the beginning of the string, or the name of the class, that they lead to.
public struct ArchiveTextListing {
  /// The objects.
  public let graph: ArchiveGraph

  /// Creates a listing.
  public init(_ graph: ArchiveGraph) {
    self.graph = graph
  }

  /// The listing, ending with a newline.
  public var text: String {
    var output = ""
    switch graph.kind {
    case .keyedArchive:
      output += "keyed archive by \(DisplayText.bare(graph.archiver ?? ""))"
      output += ", version \(graph.version ?? 0)\n"
    case .propertyList: output += "property list\n"
    }
    append(graph.top, to: &output, indent: "")
    output += "\n"
    let width = "#\(max(graph.nodes.count, 1) - 1)".count
    let indent = String(repeating: " ", count: width + 2)
    for (number, node) in graph.nodes.enumerated() {
      let label = "#\(number)"
      output += label + String(repeating: " ", count: width - label.count + 2)
      append(node, to: &output, indent: indent)
    }
    return output
  }

  private func append(_ node: ArchiveGraph.Node, to output: inout String, indent: String) {
    switch node {
    case .null:
      output += "nil\n"
    case .classDescription(let type):
      output += "class \(DisplayText.bare(type.description))\n"
    case .instance(let type, let fields):
      output += "\(DisplayText.bare(type.description))\n"
      append(fields, to: &output, indent: indent)
    case .value(.dictionary(let fields)):
      output += "dictionary\n"
      append(fields, to: &output, indent: indent)
    case .value(let value):
      output += text(of: value) + "\n"
    }
  }

  private func append(_ fields: [ArchiveField], to output: inout String, indent: String) {
    let names = fields.map { DisplayText.bare($0.key) }
    let width = names.map(\.count).max() ?? 0
    for (name, field) in zip(names, fields) {
      let gap = String(repeating: " ", count: width - name.count + 2)
      output += indent + name + gap + text(of: field.value) + "\n"
    }
  }

  private func text(of value: ArchiveValue) -> String {
    switch value {
    case .null: "null"
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value, _): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .date(let seconds): "date \(seconds)"
    case .data(let bytes): "<\(DisplayText.hex(bytes))>"
    case .string(let text): DisplayText.quoted(text)
    case .reference(let number): reference(number)
    case .array(let values): "[" + values.map { text(of: $0) }.joined(separator: ", ") + "]"
    case .set(let values): "set [" + values.map { text(of: $0) }.joined(separator: ", ") + "]"
    case .dictionary(let fields):
      "{"
        + fields.map { "\(DisplayText.bare($0.key)): \(text(of: $0.value))" }
        .joined(separator: ", ") + "}"
    }
  }

  /// A reference, annotated with what it leads to.
  private func reference(_ number: Int) -> String {
    guard number < graph.nodes.count else { return "#\(number)" }
    switch graph.nodes[number] {
    case .null: return "nil"
    case .classDescription(let type): return "#\(number) class \(DisplayText.bare(type.name))"
    case .instance(let type, _): return "#\(number) \(DisplayText.bare(type.name))"
    case .value(let value):
      switch value {
      case .string(let text): return "#\(number) \(DisplayText.beginning(of: text))"
      // A top-level reference may lead to itself; its number is enough.
      case .array, .set, .dictionary, .data, .reference: return "#\(number)"
      default: return "#\(number) \(self.text(of: value))"
      }
    }
  }
}
