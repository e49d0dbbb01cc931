import Testing

@testable import SourcePorting

@Suite struct ErrorArgumentTests {
  @Test(arguments: [
    ("error as CVarArg", "objectArgument(error)"),
    ("self.lastError! as any CVarArg", "objectArgument(self.lastError!)"),
    ("(result.error) as! CVarArg", "objectArgument((result.error))"),
    ("e as CVarArg, err as CVarArg", "objectArgument(e), objectArgument(err)"),
  ])
  func `errors are arguments of formats`(original: String, ported: String) {
    #expect(port("NSLog(\"%@\", \(original))") == "import CoreData\nNSLog(\"%@\", \(ported))")
  }

  @Test func `what is caught is an error, whatever its name`() {
    #expect(
      port("do {} catch let reason as Lost { log(reason as CVarArg) }").hasSuffix(
        "{ log(objectArgument(reason)) }"))
    #expect(
      port("switch r { case .failure(let why): log(why as CVarArg); default: break }").contains(
        "log(objectArgument(why));"))
  }

  @Test(arguments: [
    "log(date as CVarArg, name as CVarArg)", "log(error as? CVarArg)", "log(error as NSError)",
    "switch r { case .found(let why): log(why as CVarArg); default: break }",
  ])
  func `other arguments stay`(original: String) {
    #expect(port(original) == original)
  }
}
