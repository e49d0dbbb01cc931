import Foundation

#if !canImport(ObjectiveC)
  extension Bundle {
    /// Returns the URLs of the bundle's resources with an extension, like
    /// `urls(forResourcesWithExtension:subdirectory:)` on Apple's systems; elsewhere, Foundation's method returns
    /// `NSURL`s. `momtool port` replaces calls with this method.
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

    /// Returns the URLs of a folder's resources with an extension.
    public class func urls(
      ofResourcesWithExtension ext: String?, subdirectory: String?, in bundleURL: URL
    ) -> [URL]? {
      urls(forResourcesWithExtension: ext, subdirectory: subdirectory, in: bundleURL as NSURL)?
        .map { $0 as URL }
    }
  }
#endif
