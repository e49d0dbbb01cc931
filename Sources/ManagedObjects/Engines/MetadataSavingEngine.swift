/// A store in a file, to which a save writes the metadata if they have changed since the last one.
protocol MetadataSavingEngine: StoreEngine {
  /// The metadata as of the next save.
  var storedMetadata: [String: Any] { get set }
  /// Whether the next save writes them.
  var metadataChanged: Bool { get set }
}

extension MetadataSavingEngine {
  /// The metadata, with changes that the next save writes.
  var metadata: [String: Any] {
    get { storedMetadata }
    set {
      storedMetadata = StoreMetadataKeys.keepingOwn(of: storedMetadata, in: newValue)
      metadataChanged = true
    }
  }

  func takeIdentifier(_ identifier: String) {
    storedMetadata[StoreMetadataKeys.uuid] = identifier
    metadataChanged = true
  }

  /// Makes the next save record the model's version as other metadata have it.
  func takeVersion(from new: [String: Any]) {
    for key in StoreMetadataKeys.modelVersion { storedMetadata[key] = new[key] }
    metadataChanged = true
  }
}
