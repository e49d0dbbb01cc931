import Foundation
import PredicateFormat

@testable import DataModels

extension FeatureModels {
  /// Predicates for templates, one for each class of predicate and expression.
  private static let predicates = [
    ("byName", "name == $NAME"), ("begins", "name BEGINSWITH[cd] \"a\""),
    ("like", "name LIKE \"*x?\" OR name MATCHES \"[a-z]+\""),
    ("many", "age > 3 AND age <= 60 AND NOT name CONTAINS \"x\""),
    ("range", "age BETWEEN {1, 10}"), ("among", "name IN {\"a\", \"b\"}"),
    ("related", "ANY friends.name == \"Ann\""), ("every", "ALL friends.age > 17"),
    ("counted", "friends.@count >= 2"),
    ("computed", "age + 1 > 2 * 3"), ("always", "TRUEPREDICATE"), ("never", "FALSEPREDICATE"),
    ("none", "name == nil"), ("big", "score >= 0.5"), ("flag", "isOld == YES"),
    ("since", "born > CAST(86400.5, \"NSDate\")"),
  ]

  private static func makePerson() -> NSEntityDescription {
    let person = entity(
      "Person", attribute("name"), attribute("age", .integer16), attribute("score", .double),
      attribute("isOld", .boolean), attribute("born", .date))
    let friends = relationship("friends", to: person, max: 0)
    friends.inverseRelationship = friends
    person.properties += [friends]
    return person
  }

  private static func templates(
    _ requests:
      @escaping @Sendable (NSEntityDescription) -> [(
        String, NSFetchRequest<NSFetchRequestResult>
      )]
  ) -> NSManagedObjectModel {
    let person = makePerson()
    return model(person) { model in
      for (name, request) in requests(person) {
        model.setFetchRequestTemplate(request, forName: name)
      }
    }
  }

  /// Fetch requests and fetched properties.
  static let requests: [Feature] = [
    Feature(name: "Request-Predicates") {
      templates { person in predicates.map { ($0.0, request(of: person, $0.1)) } }
    },
    Feature(name: "Request-Subquery") {
      templates { person in
        [("within", request(of: person, "SUBQUERY(friends, $f, $f.age > 30).@count > 0"))]
      }
    },
    Feature(name: "Request-Sorted") {
      templates { person in
        [
          (
            "sorted",
            request(of: person) {
              $0.sortDescriptors = [
                NSSortDescriptor(key: "age", ascending: false),
                NSSortDescriptor(key: "name", ascending: true),
              ]
            }
          )
        ]
      }
    },
    Feature(name: "Request-Counts") {
      templates { person in
        [
          (
            "page",
            request(of: person) {
              $0.fetchLimit = 10
              $0.fetchOffset = 20
              $0.fetchBatchSize = 5
            }
          )
        ]
      }
    },
    Feature(name: "Request-ResultTypes") {
      templates { person in
        [
          ("ids", request(of: person) { $0.resultType = .managedObjectIDResultType }),
          ("count", request(of: person) { $0.resultType = .countResultType }),
          (
            "rows",
            request(of: person) {
              $0.resultType = .dictionaryResultType
              $0.returnsDistinctResults = true
            }
          ),
        ]
      }
    },
    Feature(name: "Request-Options") {
      templates { person in
        [
          (
            "options",
            request(of: person) {
              $0.includesSubentities = false
              $0.includesPropertyValues = false
              $0.returnsObjectsAsFaults = false
              $0.includesPendingChanges = false
            }
          ),
          (
            "prefetching",
            request(of: person) { $0.relationshipKeyPathsForPrefetching = ["friends"] }
          ),
        ]
      }
    },
    Feature(name: "Property-Fetched") {
      let person = makePerson()
      let fetched = NSFetchedPropertyDescription()
      fetched.name = "namesakes"
      fetched.fetchRequest = request(of: person, "name == $FETCH_SOURCE.name") { $0.fetchLimit = 3 }
      person.properties += [fetched]
      return model(person)
    },
  ]
}
