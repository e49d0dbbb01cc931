import CoreData

/// A folder. Its properties are generated: the entity's code generation is "Category/Extension".
public class Folder: NSManagedObject {
  var sortedNotes: [Note] { (notes?.array as? [Note]) ?? [] }

  public override func awakeFromInsert() {
    super.awakeFromInsert()
    setPrimitiveValue("Untitled", forKey: "name")
  }
}

/// A label. Written by hand: the entity's code generation is "Manual/None".
public class Label: NSManagedObject {
  var name: String {
    get { value(forKey: "name") as? String ?? "" }
    set { setValue(newValue, forKey: "name") }
  }

  var notes: Set<Note> {
    get { value(forKey: "notes") as? Set<Note> ?? [] }
    set { setValue(newValue, forKey: "notes") }
  }
}
