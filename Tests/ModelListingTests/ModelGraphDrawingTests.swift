import ModelListing
import Testing

struct ModelGraphDrawingTests {
  @Test func aRelationshipAndItsInverseAreOneLine() {
    let lines = ModelGraphDrawing(ShopSchema.model).text.split(separator: "\n")
    let edges = lines.filter { $0.contains("->") }
    #expect(
      edges == [
        "  e3 -> e2 [arrowhead=empty, style=bold]",
        "  e1 -> e3 [headlabel=<orders>, arrowhead=crowodot, taillabel=<customer>, "
          + "arrowtail=teetee, dir=both]",
      ])
  }

  @Test func hostileNamesStayText() {
    let name = "</TD>&\"]; x -> y [\\\u{0}\u{7}"
    let other = ModelSchema.Property(
      .init(name: name), .relationship(.init(destination: "gone\"", maxCount: 1)))
    let schema = ModelSchema(entities: [.init(name: name, properties: [other])])
    let text = ModelGraphDrawing(schema, title: "a\"b\\").text
    #expect(text.hasPrefix("digraph \"a\\\"b\\\\\" {\n"))
    #expect(text.contains("<B>&lt;/TD&gt;&amp;&quot;]; x -&gt; y [\\\u{2400}\u{2407}</B>"))
    #expect(text.contains("  e2 [label=<<I>gone&quot;</I>>, shape=box, style=dashed]"))
    #expect(text.contains("  e1 -> e2 [headlabel=<&lt;/TD&gt;"))
    #expect(!text.contains("\u{0}"))
  }
}
