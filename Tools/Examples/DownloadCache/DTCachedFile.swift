import MomKit

/// A file that was downloaded, and until when it is good.
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

/// Where files come from; its files go when it goes.
#if canImport(ObjectiveC)
  @objc(Host)
#endif
final class Host: NSManagedObject {
  @Managed var name: String?
  @Managed var files: Set<DTCachedFile>
}
