import Foundation
import PredicateFormat

import class PredicateFormat.NSExpression

@testable import DataModels

extension FeatureModels {
  /// Fetch indexes with every kind of element.
  static let indexes: [Feature] = [
    Feature(name: "Index-Binary") {
      let name = attribute("name")
      let item = entity("Item", name)
      index("byName", on: item, [name])
      return model(item)
    },
    Feature(name: "Index-Descending") {
      let made = attribute("made", .date)
      let item = entity("Item", made)
      index("byNewest", on: item, [made], isAscending: false)
      return model(item)
    },
    Feature(name: "Index-Compound") {
      let (name, made) = (attribute("name"), attribute("made", .date))
      let item = entity("Item", name, made)
      let owner = relationship("owner", to: item)
      let owned = relationship("owned", to: item, max: 0)
      relate((item, owner), (item, owned))
      index("byNameAndMade", on: item, [name, made])
      index("byOwnerAndName", on: item, [owner, name])
      // Used by older frameworks; the compiler writes both.
      item.compoundIndexes = [["name", "made"], ["owner", "name"]]
      return model(item)
    },
    Feature(name: "Index-Spatial") {
      let (latitude, longitude) = (attribute("latitude", .double), attribute("longitude", .double))
      let place = entity("Place", latitude, longitude)
      index("byPlace", on: place, [latitude, longitude], type: .rTree)
      return model(place)
    },
    Feature(name: "Index-Partial") {
      let (name, made) = (attribute("name"), attribute("isOpen", .boolean))
      let item = entity("Item", name, made)
      index("openByName", on: item, [name], where: "isOpen == YES")
      return model(item)
    },
    Feature(name: "Index-Expression") {
      let expression = NSExpressionDescription()
      expression.name = "length"
      expression.expression = NSExpression(format: "length:(name)")
      expression.expressionResultType = .integer64AttributeType
      let item = entity("Item", attribute("name"))
      index("byLength", on: item, [expression])
      return model(item)
    },
    Feature(name: "Index-OldFlag") {
      let item = entity("Item", attribute("name") { $0.isIndexed = true })
      return model(item)
    },
  ]

  /// The features of models other than entities.
  static let models: [Feature] = [
    Feature(name: "Model-Configurations") {
      let (one, two, three) = (entity("One"), entity("Two"), entity("Three"))
      return model(one, two, three) {
        $0.setEntities([one, two], forConfigurationName: "Cloud")
        $0.setEntities([two, three], forConfigurationName: "Local")
        $0.setEntities([], forConfigurationName: "Nothing")
      }
    },
    Feature(name: "Model-VersionIdentifiers") {
      model(entity("Item")) { $0.versionIdentifiers = ["2.0", "beta"] }
    },
    Feature(name: "Model-UserInfo") {
      let item = entity("Item", attribute("name") { $0.userInfo = ["note": "two\nlines"] })
      item.userInfo = ["table": "items", "empty": ""]
      let other = relationship("other", to: item) { $0.userInfo = ["key": "other_id"] }
      item.properties += [other]
      return model(item)
    },
    Feature(name: "Model-Renaming") {
      let item = entity("Item", attribute("title") { $0.renamingIdentifier = "name" })
      item.renamingIdentifier = "Thing"
      item.properties += [relationship("next", to: item) { $0.renamingIdentifier = "successor" }]
      return model(item)
    },
    Feature(name: "Model-HashModifiers") {
      let item = entity("Item", attribute("title") { $0.versionHashModifier = "2" })
      item.versionHashModifier = "sorted differently"
      item.properties += [relationship("next", to: item) { $0.versionHashModifier = "2" }]
      return model(item)
    },
    Feature(name: "Model-OlderStamp") {
      model(entity("Item", attribute("name"))) {
        $0.compilerStamp = CompilerStamp(toolVersion: 22758, xcodeVersion: 150_400)
      }
    },
    Feature(name: "Model-Unstamped") {
      model(entity("Item", attribute("name"))) { $0.compilerStamp = nil }
    },
  ]
}
