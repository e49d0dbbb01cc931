import PredicateFormat
import Testing

@Suite struct SurrogateTests {
  @Test(arguments: [#"a == "\ud800""#, #"a == "\udc00""#, #"a == "\ud800\u0041""#])
  func halfAPairIsAnError(text: String) {
    #expect(throws: PredicateFormatError.self) { try PredicateTree(parsing: text) }
  }

  @Test func aPairIsACharacter() throws {
    let tree = try PredicateTree(parsing: #"a == "\ud83d\ude00""#)
    #expect(tree == .compare(.key("a"), .equalTo, .constant(.string("\u{1F600}"))))
  }
}
