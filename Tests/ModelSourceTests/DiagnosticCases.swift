extension DiagnosticTests {
  static let cases: [Case] = [
    Case(
      .unknownElement,
      """
      <entity name="A"><atribute name="x"/></entity>
      """,
      "2:18: warning: [A] <atribute> is not known inside <entity> (did you mean 'attribute'?); it is kept, and ignored"
    ),
    Case(
      .unknownAttribute,
      """
      <entity name="A"><attribute name="x" attributeType="String" renamingIdentifier="y" preserveValueOnDeletion="YES"/></entity>
      """,
      "2:61: warning: [A.x] <attribute> has no attribute 'renamingIdentifier' (did you mean 'elementID'?); it is kept, and ignored",
      "2:84: warning: [A.x] <attribute> has no attribute 'preserveValueOnDeletion' (did you mean 'preserveAfterDeletion'?); it is kept, and ignored"
    ),
    Case(
      .invalidValue,
      """
      <entity name="A"><attribute name="x" attributeType="String" optional="MAYBE" minValueString="few"/></entity>
      """,
      "2:61: warning: [A.x] optional is 'MAYBE', neither YES nor NO; it counts as NO",
      "2:78: warning: [A.x] minValueString: 'few' is not an integer; it counts as 0"),
    Case(
      .missingName,
      """
      <entity><attribute attributeType="String"/></entity>
      """,
      "2:1: error: <entity> has no name",
      "2:9: error: <attribute> has no name"),
    Case(
      .invalidName,
      """
      <entity name="A"><attribute name="a b" attributeType="String"/></entity>
      """,
      "2:29: error: [A.a b] 'a b' can't be a property's name: use letters, digits and underscores, and begin with a letter"
    ),
    Case(
      .reservedName,
      """
      <entity name="A"><attribute name="description" attributeType="String"/></entity>
      """,
      "2:29: error: [A.description] 'description' is a method or property of NSManagedObject; a property can't have its name"
    ),
    Case(
      .duplicateName,
      """
      <entity name="A"><attribute name="x" attributeType="String"/><attribute name="x" attributeType="Date"/></entity>
      """,
      "2:73: error: [A.x] the entity has another property 'x'"),
    Case(
      .unknownParent,
      """
      <entity name="A" parentEntity="Aa"/>
      """,
      "2:18: error: [A] the parent entity 'Aa' doesn't exist"),
    Case(
      .parentCycle,
      """
      <entity name="A" parentEntity="B"/>
      <entity name="B" parentEntity="A"/>
      <entity name="C" parentEntity="A"/>
      """,
      "2:18: error: [A] the entity is its own ancestor, or below more than 256 others",
      "3:18: error: [B] the entity is its own ancestor, or below more than 256 others"),
    Case(
      .unknownType,
      """
      <entity name="A"><attribute name="x" attributeType="Integer64"/></entity>
      """,
      "2:38: error: [A.x] there is no attribute type 'Integer64' (did you mean 'Integer 64'?)"),
    Case(
      .undefinedType,
      """
      <entity name="A"><attribute name="x"/><attribute name="y" transient="YES"/></entity>
      """,
      "2:18: error: [A.x] the attribute has no type and isn't transient"),
    Case(
      .invalidDefault,
      """
      <entity name="A"><attribute name="x" attributeType="Integer 16" defaultValueString="40000"/><attribute name="y" attributeType="Integer 16" defaultValueString="1.5"/><attribute name="z" attributeType="Double" defaultValueString="much"/></entity>
      """,
      "2:65: warning: [A.x] the default value 40000 is not between -32768 and 32767; it counts as 32767",
      "2:140: warning: [A.y] the default value '1.5' is not an integer; it counts as 1",
      "2:209: warning: [A.z] the default value 'much' is not a number; it counts as 0.0"),
    Case(
      .defaultOutOfBounds,
      """
      <entity name="A"><attribute name="x" attributeType="Integer 16" minValueString="5" defaultValueString="1"/></entity>
      """,
      "2:84: warning: [A.x] the default value is outside the attribute's bounds"),
    Case(
      .crossedBounds,
      """
      <entity name="A"><attribute name="x" attributeType="Double" minValueString="5" maxValueString="4.5"/></entity>
      """,
      "2:18: warning: [A.x] the minimum is above the maximum"),
    Case(
      .missingDestination,
      """
      <entity name="A"><relationship name="x" maxCount="1" deletionRule="Nullify"/></entity>
      """,
      "2:18: error: [A.x] the relationship has no destination"),
    Case(
      .unknownDestination,
      """
      <entity name="Tree"><relationship name="x" destinationEntity="Three" deletionRule="Nullify"/></entity>
      """,
      "2:44: error: [Tree.x] the destination 'Three' doesn't exist (did you mean 'Tree'?)"),
    Case(
      .missingInverse,
      """
      <entity name="A"><relationship name="x" destinationEntity="A" deletionRule="Nullify"/></entity>
      """,
      "2:18: warning: [A.x] the relationship has no inverse; without one Core Data can't keep the graph consistent"
    ),
    Case(
      .unknownInverse,
      """
      <entity name="A"><relationship name="parts" destinationEntity="A" inverseName="part" inverseEntity="A"/></entity>
      """,
      "2:67: error: [A.parts] 'A' has no property 'part' (did you mean 'parts'?)"),
    Case(
      .inverseMismatch,
      """
      <entity name="A"><relationship name="b" destinationEntity="B" inverseName="c" inverseEntity="B"/></entity>
      <entity name="B"><relationship name="c" destinationEntity="B" inverseName="c" inverseEntity="B"/></entity>
      """,
      "2:63: error: [A.b] the inverse 'B.c' refers to 'B', not to 'A'"),
    Case(
      .transientInverse,
      """
      <entity name="A"><relationship name="x" transient="YES" destinationEntity="A" inverseName="y" inverseEntity="A"/>
      <relationship name="y" destinationEntity="A" inverseName="x" inverseEntity="A"/></entity>
      """,
      "2:18: error: [A.x] only one of the relationship and its inverse 'A.y' is transient",
      "3:1: error: [A.y] only one of the relationship and its inverse 'A.x' is transient"),
    Case(
      .noActionDeleteRule,
      """
      <entity name="A"><relationship name="x" destinationEntity="A" inverseName="x" inverseEntity="A" deletionRule="No Action"/></entity>
      """,
      "2:97: warning: [A.x] the delete rule No Action leaves references to deleted objects; choose another, or update the inverse yourself"
    ),
    Case(
      .orderedToOne,
      """
      <entity name="A"><relationship name="x" maxCount="1" ordered="YES" destinationEntity="A" inverseName="x" inverseEntity="A"/></entity>
      """,
      "2:54: warning: [A.x] a to-one relationship can't be ordered"),
    Case(
      .unknownComposite,
      """
      <entity name="A"><attribute name="x" attributeType="Composite" composite="C"/></entity>
      """,
      "2:64: error: [A.x] the composite 'C' doesn't exist"),
    Case(
      .compositeCycle,
      """
      <composite name="C"><attribute name="x" attributeType="Composite" composite="D"/></composite>
      <composite name="D"><attribute name="x" attributeType="Composite" composite="C"/></composite>
      """,
      "2:1: error: [C] the composite 'C' contains itself",
      "3:1: error: [D] the composite 'D' contains itself"),
    Case(
      .uniquenessProperty,
      """
      <entity name="A"><attribute name="title" attributeType="String"/><uniquenessConstraints><uniquenessConstraint><constraint value="titel"/></uniquenessConstraint></uniquenessConstraints></entity>
      """,
      "2:89: error: [A] the uniqueness constraint names 'titel', which doesn't exist (did you mean 'title'?)"
    ),
    Case(
      .indexProperty,
      """
      <entity name="A"><attribute name="x" transient="YES" attributeType="String"/><fetchIndex name="i"><fetchIndexElement property="x" type="Binary" order="ascending"/></fetchIndex></entity>
      """,
      "2:99: error: [A] the index names 'x', which is transient"),
    Case(
      .derivedExpression,
      """
      <entity name="A"><attribute name="x" attributeType="String"/><attribute name="y" attributeType="String" derived="YES" derivationExpression="canonical:(z)"/></entity>
      """,
      "2:119: error: [A.y] the key path 'z' is invalid: 'A' has no property 'z'"
    ),
    Case(
      .predicate,
      """
      <entity name="A"/>
      <fetchRequest name="f" entity="A" predicateString="x == "/>
      """,
      "3:35: error: [f] the predicate can't be parsed: column 6: expected an expression, found the end of the text"
    ),
    Case(
      .regularExpression,
      """
      <entity name="A"><attribute name="x" attributeType="String" regularExpressionString="("/></entity>
      """,
      "2:61: warning: [A.x] the regular expression '(' can't be compiled"),
    Case(
      .fetchEntity,
      """
      <entity name="Abc"/>
      <fetchRequest name="f" entity="Abd"/>
      """,
      "3:24: error: [f] the fetch request's entity 'Abd' doesn't exist (did you mean 'Abc'?)"),
    Case(
      .configurationMember,
      """
      <entity name="Abc"/>
      <configuration name="c"><memberEntity name="Abd"/></configuration>
      """,
      "3:25: warning: [c] the configuration's entity 'Abd' doesn't exist (did you mean 'Abc'?)"),
    Case(
      .cloudKitUniqueness,
      """
      <entity name="A"><attribute name="x" optional="YES" attributeType="String"/><uniquenessConstraints><uniquenessConstraint><constraint value="x"/></uniquenessConstraint></uniquenessConstraints></entity>
      """,
      "2:100: error: [A] CloudKit doesn't support uniqueness constraints"),
    Case(
      .cloudKitOptional,
      """
      <entity name="A"><attribute name="x" attributeType="String"/><attribute name="y" attributeType="Boolean" defaultValueString="NO"/></entity>
      """,
      "2:18: error: [A.x] CloudKit requires the attribute to be optional or to have a default value"
    ),
    Case(
      .cloudKitRelationshipOptional,
      """
      <entity name="A"><relationship name="x" destinationEntity="A" inverseName="x" inverseEntity="A"/></entity>
      """,
      "2:18: error: [A.x] CloudKit requires the relationship to be optional"),
    Case(
      .cloudKitInverse,
      """
      <entity name="A"><relationship name="x" optional="YES" destinationEntity="A"/></entity>
      """,
      "2:18: error: [A.x] CloudKit requires the relationship to have an inverse"),
    Case(
      .cloudKitDeleteRule,
      """
      <entity name="A"><relationship name="x" optional="YES" destinationEntity="A" inverseName="x" inverseEntity="A" deletionRule="Deny"/></entity>
      """,
      "2:112: error: [A.x] CloudKit doesn't support the delete rule Deny"),
    Case(
      .cloudKitOrdered,
      """
      <entity name="A"><relationship name="x" optional="YES" ordered="YES" destinationEntity="A" inverseName="x" inverseEntity="A"/></entity>
      """,
      "2:56: error: [A.x] CloudKit doesn't support ordered relationships"),
    Case(
      .cloudKitType,
      """
      <entity name="A"><attribute name="x" optional="YES" attributeType="ObjectID"/></entity>
      """,
      "2:53: error: [A.x] CloudKit can't store attributes of type 'ObjectID'"),
    Case(
      .transformerMissing,
      """
      <entity name="A"><attribute name="x" attributeType="Transformable"/></entity>
      """,
      "2:18: warning: [A.x] the transformable attribute names no value transformer; name NSSecureUnarchiveFromDataTransformer, or a subclass of your own"
    ),
    Case(
      .transformerInsecure,
      """
      <entity name="A"><attribute name="x" attributeType="Transformable" valueTransformerName="NSKeyedUnarchiveFromData"/></entity>
      """,
      "2:68: warning: [A.x] the value transformer 'NSKeyedUnarchiveFromData' decodes any class; use NSSecureUnarchiveFromDataTransformer"
    ),
  ]
}
