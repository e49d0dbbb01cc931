import DataModels
import Foundation
import ManagedObjects
import ModelSource

extension ReportData {
  /// Lints a model with the compiler's rules, as `momtool lint` does.
  public static func lint(_ model: NSManagedObjectModel) -> [Finding] {
    let document = SourceDocument(root: SourceWriter(model).root, path: "model")
    var options = SourceReadingOptions()
    options.ruleGroups = [.compile]
    return SourceModel.diagnostics(of: document, options: options).map { diagnostic in
      Finding(
        source: "lint", severity: diagnostic.severity.rawValue,
        rule: diagnostic.rule.rawValue, entity: diagnostic.entity, property: diagnostic.property,
        message: diagnostic.message)
    }
  }

  /// Checks a store, as `momtool store check` does; if it can't be checked, that is reported as a finding.
  public static func check(_ url: URL, model: NSManagedObjectModel) -> [Finding] {
    do {
      return try StoreCheck.findings(at: url, model: model).map { finding in
        Finding(
          source: "check", severity: finding.severity.rawValue, rule: finding.rule.rawValue,
          entity: finding.subject, property: finding.property, message: finding.message,
          rowCount: finding.rowCount > 0 ? finding.rowCount : nil, rows: finding.rows.orNil)
      }
    } catch {
      return [
        Finding(
          source: "check", severity: "error", rule: StoreFinding.Rule.unreadable.rawValue,
          message: (error as? ModelFileError)?.message ?? "the store can't be checked")
      ]
    }
  }
}
