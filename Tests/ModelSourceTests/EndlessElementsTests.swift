import DataModels
import TestSupport
import Testing

@testable import ModelSource

/// Composites made in code that contain themselves.
@Suite struct EndlessElementsTests {
  @Test func areReportedAsALoss() {
    let composite = NSCompositeAttributeDescription()
    composite.name = "place"
    composite.elements = [composite]
    let thing = entity("Thing", [composite])
    let writer = SourceWriter(NSManagedObjectModel(of: [thing]))
    #expect(writer.losses.count == 1)
    #expect(writer.losses.first?.contains("place") == true)
  }
}
