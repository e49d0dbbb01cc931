import Foundation

#if !canImport(ObjectiveC)
  extension Bundle {
    /// Where the bundle's resources of an extension are, as `urls(forResourcesWithExtension:subdirectory:)` says it
    /// on Apple's systems: elsewhere that method gives `NSURL`s. `momtool port` writes this one in its place.
    public func urls(
      ofResourcesWithExtension ext: String?, subdirectory: String?,
      localization localizationName: String? = nil
    ) -> [URL]? {
      let urls =
        localizationName.map {
          self.urls(forResourcesWithExtension: ext, subdirectory: subdirectory, localization: $0)
        } ?? self.urls(forResourcesWithExtension: ext, subdirectory: subdirectory)
      return urls?.map { $0 as URL }
    }

    /// Where a folder's resources of an extension are.
    public class func urls(
      ofResourcesWithExtension ext: String?, subdirectory: String?, in bundleURL: URL
    ) -> [URL]? {
      urls(forResourcesWithExtension: ext, subdirectory: subdirectory, in: bundleURL as NSURL)?
        .map { $0 as URL }
    }
  }
#endif
