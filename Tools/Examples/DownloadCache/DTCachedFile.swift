import MomKit

/// A downloaded file and its expiration date.
#if canImport(ObjectiveC)
  @objc(DTCachedFile)
#endif
final class DTCachedFile: NSManagedObject {
  @Managed var remoteURL: String?
  @Managed var fileData: Data?
  @Managed var lastAccessDate: Date?
  @Managed var expirationDate: Date?
  @Managed var contentType: String?
  @Managed var entityTagIdentifier: String?
  @Managed var fileSize: Int32
  @Managed var host: Host?
}

/// A host that files were downloaded from. Deleting it deletes its files.
#if canImport(ObjectiveC)
  @objc(Host)
#endif
final class Host: NSManagedObject {
  @Managed var name: String?
  @Managed var files: Set<DTCachedFile>
}
