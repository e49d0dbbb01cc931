import ModelEvolution

// The tool speaks of the history of a model, as git does; the library of its versions.

/// The versions of a model.
typealias ModelHistory = VersionedModel
/// The merge of the versions of a model.
typealias HistoryMerge = VersionedModelMerge
