import Testing

@testable import SourcePorting

@Suite struct MutableSetCastTests {
  /// Returns what needs attention in one source.
  private func left(_ text: String) -> [String] {
    let file = SourceFile(path: "0.swift", fullPath: "/p/0.swift", module: "M", text: text)
    return SourcePort([file]).notes.filter { $0.advice != nil }.map(\.text)
  }

  @Test(arguments: [
    (
      "p.mutableSetValue(forKey: \"cars\") as? Set<Car>",
      "(p.mutableSetValue(forKey: \"cars\").allObjects as? [Car]).map({ Set<Car>($0) })"
    ),
    (
      "p?.mutableSetValue(forKeyPath: #keyPath(P.cars)) as! Swift.Set<M.Car>",
      "Set<M.Car>(p?.mutableSetValue(forKeyPath: \"cars\").allObjects as! [M.Car])"
    ),
    (
      "(mutableSetValue(forKey: key) as NSSet) as Set<AnyHashable>",
      "Set<AnyHashable>((mutableSetValue(forKey: key) as NSSet).allObjects as! [AnyHashable])"
    ),
  ])
  func `casts of calls`(original: String, ported: String) {
    #expect(port("let a = " + original) == "let a = " + ported)
    #expect(left("func f() { let a = \(original) }") == [])
  }

  @Test func `casts of variables`() {
    #expect(
      port(
        """
        func f() {
          let cars = p.mutableSetValue(forKey: "cars")
          let maybe = p?.mutableSetValue(forKey: "cars")
          if let cars = p?.mutableSetValue(forKey: "cars"), let all = cars as? Set<Car> {}
          guard let all = cars as? Set<Car> else { return }
          for car in cars as! Set<Car> {}
          use(maybe as? Set<Car>, maybe! as! Set<Car>)
        }
        """)
          == """
          func f() {
            let cars = p.mutableSetValue(forKey: "cars")
            let maybe = p?.mutableSetValue(forKey: "cars")
            if let cars = p?.mutableSetValue(forKey: "cars"), let all = (cars.allObjects as? [Car]).map({ Set<Car>($0) }) {}
            guard let all = (cars.allObjects as? [Car]).map({ Set<Car>($0) }) else { return }
            for car in Set<Car>(cars.allObjects as! [Car]) {}
            use((maybe?.allObjects as? [Car]).map({ Set<Car>($0) }), Set<Car>(maybe!.allObjects as! [Car]))
          }
          """)
  }

  @Test func `casts of properties`() {
    let text = port(
      """
      class P: NSManagedObject {
        var cars: NSMutableSet { return mutableSetValue(forKey: "cars") }
        lazy var pets: NSMutableSet = self.mutableSetValue(forKey: "pets")
      }
      let a = p.cars as! Set<Car>
      let b = p.pets as! Set<Pet>
      """)
    #expect(text.contains("let a = Set<Car>(p.cars.allObjects as! [Car])"))
    #expect(text.contains("let b = Set<Pet>(p.pets.allObjects as! [Pet])"))
  }

  @Test func `a nearer variable of the same name is meant`() {
    let text = """
      let cars = p.mutableSetValue(forKey: "cars")
      func f() {
        let cars = p.value(forKey: "cars")
        use(cars as? Set<Car>)
      }
      """
    #expect(port(text) == text)
    #expect(left(text) == [])
  }

  @Test func `what may be such a set is reported`() {
    #expect(
      left(
        """
        class P: NSManagedObject { @NSManaged var cars: NSSet? }
        func f(given: NSSet) {
          add(to: p.mutableSetValue(forKey: "cars"))
          use(given as? Set<Car>, made() as! Set<Car>)
          use(p.cars as? Set<Car>, p.value(forKey: "cars") as? Set<Car>, info["cars"] as? Set<Car>)
        }
        func g(given: NSSet) { use(given as? Set<Car>) }
        """) == ["given as? Set<Car>", "made() as! Set<Car>"])
  }
}
