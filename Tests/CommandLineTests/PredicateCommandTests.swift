import Foundation
import TestSupport
import Testing

struct PredicateCommandTests {
  private static let people = """
    [{"name": "Ann", "age": 31, "big": 12345678901234567890123},
     {"name": "bob,]\\"", "age": 3},
     {"name": "Cy"}]
    """

  private func run(_ arguments: String..., input: String = people) throws -> Tool.Outcome {
    try Tool.run(arguments: ["predicate"] + arguments, input: Data(input.utf8))
  }

  @Test func textIsTheCanonicalFormAndTheTree() throws {
    let outcome = try run("age>30 and name beginswith[cd] %@", "--argument", "\"a\"")
    #expect(outcome.status == 0)
    #expect(
      outcome.text == """
        age > 30 AND name BEGINSWITH[cd] "a"

        AND
          comparison: >
            key path: age
            integer: 30
          comparison: BEGINSWITH [cd]
            key path: name
            string: "a"

        """)
  }

  /// Spreadsheets and other systems' shells begin UTF-8 with a byte order mark.
  @Test(arguments: ["[{\"a\": 1}, {\"a\": 2}]", "{\"a\": 1}\n{\"a\": 2}"])
  func aByteOrderMarkIsNoValue(text: String) throws {
    let outcome = try run("a == 1", "--json", "-", input: "\u{FEFF}" + text)
    #expect(outcome.status == 0 && outcome.text == "{\"a\":1}\n", "\(outcome.text)")
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")))
  func valuesComeOutOfAPipe() throws {
    try Tool.withTemporaryFolder { folder in
      try Data("[{\"a\": 1}]".utf8).write(to: folder.appendingPathComponent("values"))
      let run = try Tool.run(
        URL(fileURLWithPath: "/bin/bash"),
        arguments: ["-c", "'\(Tool.url.path)' predicate 'a == 1' --json <(cat values)"],
        in: folder)
      #expect(run.status == 0 && run.text == "{\"a\":1}\n", "\(run.errors)")
    }
  }

  @Test func jsonHasASchemaVersion() throws {
    let outcome = try run("price * 2", "--expression", "--format", "json")
    let json = try #require(
      JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
    #expect(json["schemaVersion"] as? Int == 1)
    #expect(json["canonical"] as? String == "price * 2")
    #expect((json["tree"] as? [String: Any])?["kind"] as? String == "function")
  }

  @Test func mistakesPointAtTheirColumn() throws {
    let outcome = try run("age >")
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.errors == """
        predicate: error: column 6: expected an expression, found the end of the text
          age >
               ^

        """)
  }

  @Test func objectsThatMatchAreWrittenAsTheyStand() throws {
    let outcome = try run("age > 30", "--json", "-")
    #expect(outcome.status == 0)
    #expect(outcome.text == "{\"name\":\"Ann\",\"age\":31,\"big\":12345678901234567890123}\n")
    let array = try run("age == $AGE", "--json", "-", "--bind", "AGE=3", "--format", "json")
    #expect(array.text == "[\n  {\"name\":\"bob,]\\\"\",\"age\":3}\n]\n")
    let none = try run("age > 99", "--json", "-", "--format", "json")
    #expect(none.status == 1)
    #expect(none.text == "[]\n")
  }

  @Test func linesOfJSONAreReadToo() throws {
    let outcome = try run("SELF IN {2, 3}", "--json", "-", input: "1\n2\n 3 4")
    #expect(outcome.text == "2\n3\n")
  }

  @Test func expressionsGiveValues() throws {
    let outcome = try run("--expression", "age", "--json", "-")
    #expect(outcome.text == "31\n3\nnull\n")
  }

  @Test func whatCannotBePutToAnObjectIsToldWithItsLine() throws {
    let outcome = try run(
      "a > 1", "--json", "-", input: "{\"a\": 2}\n{\"a\": \"x\"}\n{\"a\": }\n{\"a\": 3}")
    #expect(outcome.status == 2)
    #expect(outcome.text == "{\"a\":2}\n{\"a\":3}\n")
    #expect(
      outcome.errors == """
        stdin:2: error: can't order a string and a number
        stdin:3: error: not JSON

        """)
  }

  @Test func whatJSONHasNoFormForIsAString() throws {
    func value(_ expression: String, _ input: String = "{}") throws -> String {
      let outcome = try run("--expression", expression, "--json", "-", input: input)
      #expect(outcome.status == 0, "\(outcome.errors)")
      return outcome.text
    }
    #expect(try value("CAST(0, 'NSDate')") == "\"2001-01-01T00:00:00Z\"\n")
    #expect(try value("CAST(0.25, 'NSDate')") == "\"2001-01-01T00:00:00.25Z\"\n")
    #expect(try value("CAST(1e300, 'NSDate')").hasPrefix("\"CAST("))
    #expect(try value("sqrt:(0 - 1)") == "\"NaN\"\n")
    #expect(try value("{1, 0.5, CAST(1, 'NSDate')}") == "[1,0.5,\"2001-01-01T00:00:01Z\"]\n")
  }

  @Test func anObjectInAnArrayIsToldWithItsIndex() throws {
    let outcome = try run(
      "a > 1", "--json", "-", input: "[{\"a\": 2}, {\"a\": \"x\"},\n {\"a\": \"y\"}]")
    #expect(outcome.status == 2)
    #expect(outcome.text == "{\"a\":2}\n")
    #expect(
      outcome.errors == """
        stdin:1[1]: error: can't order a string and a number
        stdin:2[2]: error: can't order a string and a number

        """)
  }

  @Test func aMinusSignMayComeFirst() throws {
    let people = "{\"age\": 3}\n{\"age\": 5}"
    for arguments in [
      ["-age < -4", "--json", "-"], ["--json", "-", "-age < -4"],
      ["--json", "-", "--", "-age < -4"],
      ["--argument", "-4", "-age < %@", "--json", "-"],
      ["0 - age < %@", "--argument", "-4", "--json", "-"],
    ] {
      let outcome = try Tool.run(
        arguments: ["predicate"] + arguments, input: Data(people.utf8))
      #expect(outcome.text == "{\"age\":5}\n", "\(arguments): \(outcome.errors)")
      #expect(outcome.status == 0)
    }
    #expect(try run("-h").text.hasPrefix("OVERVIEW"))
    #expect(try run("--nothing").status == 64)
  }

  @Test func wrongCommandLinesAndFiles() throws {
    #expect(try run().status == 64)
    #expect(try run("a == $X", "--bind", "X").status == 64)
    #expect(try run("a == %@", "--argument", "x").status == 64)
    #expect(try run("a == 1", "--json", "/nonexistent/file").status == 2)
    let deep = String(repeating: "[", count: 100_000)
    #expect(try run("SELF == 1", "--json", "-", input: deep).status == 2)
  }

  /// A download that was cut off isn't taken for all values, and what is no JSON doesn't become other values.
  @Test(arguments: [
    "[{\"p\":1},{\"p\":2},", "[{\"p\":1},{\"p\":2}", "[{\"p\":1} {\"p\":2}]", "[{\"p\":1},]",
    "[{\"p\":1}] {\"p\":2}", "{\"p\": 1 2}", "{\"p\": tru e}", "[{\"p\":1},,{\"p\":2}]",
  ])
  func whatIsNoJSONIsReported(text: String) throws {
    let outcome = try run("p > 0", "--json", "-", input: text)
    #expect(outcome.status == 2, "\(outcome.text)")
    #expect(outcome.errors.contains("not JSON"), "\(outcome.errors)")
  }

  @Test(arguments: [
    "[]", " [ ] ", "", "[{\"p\" : 1 } , { \"p\": [ 1 , 2 ] } ]\n", "{\"p\": -1}\n{\"p\":0}",
  ])
  func whatIsJSONIsNot(text: String) throws {
    let outcome = try run("p == 7", "--json", "-", input: text)
    #expect(!outcome.errors.contains("not JSON"), "\(outcome.errors)")
  }
}
