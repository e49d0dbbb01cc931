import Foundation

/// What a fetch request may give: managed objects, their identities, dictionaries or numbers.
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
