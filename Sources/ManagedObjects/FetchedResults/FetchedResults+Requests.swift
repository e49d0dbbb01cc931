import DataModels

/// A copy of a request with another result type.
struct RequestCopy {
  /// The copy, which the program may change.
  let request: AnyFetchRequest
  /// The settings that the copy had when it was last the same as the request.
  let settings: AnyFetchRequest
}

extension FetchedResults {
  /// The request with a result type: the program's own request, or a copy.
  ///
  /// Core Data has one request for all result types, and programs change its predicate before they fetch again. So the
  /// next fetch uses what was changed in a copy, and a copy follows the request.
  func request<ResultType>(of type: ResultType.Type) -> NSFetchRequest<ResultType> {
    if let own = request as? NSFetchRequest<ResultType> { return own }
    matchRequestCopies()
    for copy in requestCopies {
      if let known = copy.request as? NSFetchRequest<ResultType> { return known }
    }
    let copy = NSFetchRequest<ResultType>(request)
    requestCopies.append(
      RequestCopy(request: copy, settings: NSFetchRequest<ResultType>(request)))
    return copy
  }

  /// Gives the request the settings of copies that were changed, and all copies those of the request.
  func matchRequestCopies() {
    for copy in requestCopies where copy.request != copy.settings {
      request.takeSettings(of: copy.request)
    }
    for copy in requestCopies {
      copy.request.takeSettings(of: request)
      copy.settings.takeSettings(of: request)
    }
  }
}
