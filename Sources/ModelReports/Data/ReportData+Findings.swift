import DataModels
import Foundation
import ManagedObjects
import ModelSource

extension ReportData {
  /// What the linter finds in a model: the compiler's rules, as `momtool lint` has them.
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

  /// What a check of a store finds, as `momtool store check` has it; a store that can't be checked is a finding.
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
