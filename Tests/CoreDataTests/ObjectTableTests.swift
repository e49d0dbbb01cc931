import CoreData
import Testing

/// Foundation's tables of weakly held objects.
@Suite struct ObjectTableTests {
  private final class Listener: NSObject {}
  private final class Plain {}

  @Test func weakObjectsDisappear() {
    let listeners = NSHashTable<Listener>.weakObjects()
    let kept = Listener()
    var gone: Listener? = Listener()
    listeners.add(kept)
    listeners.add(kept)
    listeners.add(gone)
    #expect(listeners.count == 2 && listeners.contains(gone))
    gone = nil
    #expect(listeners.allObjects == [kept] && listeners.count == 1)
    listeners.remove(kept)
    #expect(listeners.count == 0 && listeners.anyObject == nil)
  }

  @Test func objectsAreComparedByEquality() {
    let texts = NSHashTable<NSString>()
    texts.add("a")
    texts.add(NSString(string: "a"))
    #expect(texts.count == 1)
    let identical = NSHashTable<Plain>(options: [.strongMemory, .objectPointerPersonality])
    identical.add(Plain())
    identical.add(Plain())
    #expect(identical.count == 2)
  }

  @Test func entriesLoseTheirObjects() {
    let table = NSMapTable<NSString, Listener>.strongToWeakObjects()
    let kept = Listener()
    var gone: Listener? = Listener()
    table.setObject(kept, forKey: "kept")
    table.setObject(gone, forKey: "gone")
    #expect(table.count == 2 && table.object(forKey: "gone") != nil)
    gone = nil
    #expect(table.object(forKey: "gone") == nil && table.count == 1)
    #expect(table.dictionaryRepresentation() == ["kept": kept])
    table.setObject(nil, forKey: "kept")
    #expect(table.count == 0)

    let owners = NSMapTable<Plain, NSString>.weakToStrongObjects()
    var owner: Plain? = Plain()
    owners.setObject("value", forKey: owner)
    #expect(owners.object(forKey: owner) == "value")
    owner = nil
    #expect(owners.count == 0)
  }

  @Test func groupsShareAFolder() throws {
    let folder = try #require(
      FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: "group.momkit.tests"))
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(FileManager.default.fileExists(atPath: folder.path))
    for bad in ["", "..", "a/b"] {
      #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: bad) == nil)
    }
  }
}
