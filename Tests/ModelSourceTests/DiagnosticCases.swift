extension DiagnosticTests {
  static let cases: [Case] = [
    Case(
      .unknownElement,
      """
      <entity name="A"><atribute name="x"/></entity>
      """),
    Case(
      .unknownAttribute,
      """
      <entity name="A"><attribute name="x" attributeType="String" renamingIdentifier="y" preserveValueOnDeletion="YES"/></entity>
      """),
    Case(
      .invalidValue,
      """
      <entity name="A"><attribute name="x" attributeType="String" optional="MAYBE" minValueString="few"/></entity>
      """),
    Case(
      .missingName,
      """
      <entity><attribute attributeType="String"/></entity>
      """),
    Case(
      .invalidName,
      """
      <entity name="A"><attribute name="a b" attributeType="String"/></entity>
      """),
    Case(
      .reservedName,
      """
      <entity name="A"><attribute name="description" attributeType="String"/></entity>
      """),
    Case(
      .duplicateName,
      """
      <entity name="A"><attribute name="x" attributeType="String"/><attribute name="x" attributeType="Date"/></entity>
      """),
    Case(
      .unknownParent,
      """
      <entity name="A" parentEntity="Aa"/>
      """),
    Case(
      .parentCycle,
      """
      <entity name="A" parentEntity="B"/>
      <entity name="B" parentEntity="A"/>
      <entity name="C" parentEntity="A"/>
      """),
    Case(
      .unknownType,
      """
      <entity name="A"><attribute name="x" attributeType="Integer64"/></entity>
      """),
    Case(
      .undefinedType,
      """
      <entity name="A"><attribute name="x"/><attribute name="y" transient="YES"/></entity>
      """),
    Case(
      .invalidDefault,
      """
      <entity name="A"><attribute name="x" attributeType="Integer 16" defaultValueString="40000"/><attribute name="y" attributeType="Integer 16" defaultValueString="1.5"/><attribute name="z" attributeType="Double" defaultValueString="much"/></entity>
      """),
    Case(
      .defaultOutOfBounds,
      """
      <entity name="A"><attribute name="x" attributeType="Integer 16" minValueString="5" defaultValueString="1"/></entity>
      """),
    Case(
      .crossedBounds,
      """
      <entity name="A"><attribute name="x" attributeType="Double" minValueString="5" maxValueString="4.5"/></entity>
      """),
    Case(
      .missingDestination,
      """
      <entity name="A"><relationship name="x" maxCount="1" deletionRule="Nullify"/></entity>
      """),
    Case(
      .unknownDestination,
      """
      <entity name="Tree"><relationship name="x" destinationEntity="Three" deletionRule="Nullify"/></entity>
      """),
    Case(
      .missingInverse,
      """
      <entity name="A"><relationship name="x" destinationEntity="A" deletionRule="Nullify"/></entity>
      """),
    Case(
      .unknownInverse,
      """
      <entity name="A"><relationship name="parts" destinationEntity="A" inverseName="part" inverseEntity="A"/></entity>
      """),
    Case(
      .inverseMismatch,
      """
      <entity name="A"><relationship name="b" destinationEntity="B" inverseName="c" inverseEntity="B"/></entity>
      <entity name="B"><relationship name="c" destinationEntity="B" inverseName="c" inverseEntity="B"/></entity>
      """),
    Case(
      .transientInverse,
      """
      <entity name="A"><relationship name="x" transient="YES" destinationEntity="A" inverseName="y" inverseEntity="A"/>
      <relationship name="y" destinationEntity="A" inverseName="x" inverseEntity="A"/></entity>
      """),
    Case(
      .noActionDeleteRule,
      """
      <entity name="A"><relationship name="x" destinationEntity="A" inverseName="x" inverseEntity="A" deletionRule="No Action"/></entity>
      """),
    Case(
      .orderedToOne,
      """
      <entity name="A"><relationship name="x" maxCount="1" ordered="YES" destinationEntity="A" inverseName="x" inverseEntity="A"/></entity>
      """),
    Case(
      .unknownComposite,
      """
      <entity name="A"><attribute name="x" attributeType="Composite" composite="C"/></entity>
      """),
    Case(
      .compositeCycle,
      """
      <composite name="C"><attribute name="x" attributeType="Composite" composite="D"/></composite>
      <composite name="D"><attribute name="x" attributeType="Composite" composite="C"/></composite>
      """),
    Case(
      .uniquenessProperty,
      """
      <entity name="A"><attribute name="title" attributeType="String"/><uniquenessConstraints><uniquenessConstraint><constraint value="titel"/></uniquenessConstraint></uniquenessConstraints></entity>
      """),
    Case(
      .indexProperty,
      """
      <entity name="A"><attribute name="x" transient="YES" attributeType="String"/><fetchIndex name="i"><fetchIndexElement property="x" type="Binary" order="ascending"/></fetchIndex></entity>
      """),
    Case(
      .derivedExpression,
      """
      <entity name="A"><attribute name="x" attributeType="String"/><attribute name="y" attributeType="String" derived="YES" derivationExpression="canonical:(z)"/></entity>
      """),
    Case(
      .predicate,
      """
      <entity name="A"/>
      <fetchRequest name="f" entity="A" predicateString="x == "/>
      """),
    Case(
      .regularExpression,
      """
      <entity name="A"><attribute name="x" attributeType="String" regularExpressionString="("/></entity>
      """),
    Case(
      .fetchEntity,
      """
      <entity name="Abc"/>
      <fetchRequest name="f" entity="Abd"/>
      """),
    Case(
      .configurationMember,
      """
      <entity name="Abc"/>
      <configuration name="c"><memberEntity name="Abd"/></configuration>
      """),
    Case(
      .cloudKitUniqueness,
      """
      <entity name="A"><attribute name="x" optional="YES" attributeType="String"/><uniquenessConstraints><uniquenessConstraint><constraint value="x"/></uniquenessConstraint></uniquenessConstraints></entity>
      """),
    Case(
      .cloudKitOptional,
      """
      <entity name="A"><attribute name="x" attributeType="String"/><attribute name="y" attributeType="Boolean" defaultValueString="NO"/></entity>
      """),
    Case(
      .cloudKitRelationshipOptional,
      """
      <entity name="A"><relationship name="x" destinationEntity="A" inverseName="x" inverseEntity="A"/></entity>
      """),
    Case(
      .cloudKitInverse,
      """
      <entity name="A"><relationship name="x" optional="YES" destinationEntity="A"/></entity>
      """),
    Case(
      .cloudKitDeleteRule,
      """
      <entity name="A"><relationship name="x" optional="YES" destinationEntity="A" inverseName="x" inverseEntity="A" deletionRule="Deny"/></entity>
      """),
    Case(
      .cloudKitOrdered,
      """
      <entity name="A"><relationship name="x" optional="YES" ordered="YES" destinationEntity="A" inverseName="x" inverseEntity="A"/></entity>
      """),
    Case(
      .cloudKitType,
      """
      <entity name="A"><attribute name="x" optional="YES" attributeType="ObjectID"/></entity>
      """),
    Case(
      .transformerMissing,
      """
      <entity name="A"><attribute name="x" attributeType="Transformable"/></entity>
      """),
    Case(
      .transformerInsecure,
      """
      <entity name="A"><attribute name="x" attributeType="Transformable" valueTransformerName="NSKeyedUnarchiveFromData"/></entity>
      """),
  ]
}
