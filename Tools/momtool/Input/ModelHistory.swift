import ModelEvolution

// The tool uses git's term, the history of a model, for what the library calls its versions.

/// The versions of a model.
typealias ModelHistory = VersionedModel
/// The merge of the versions of a model.
typealias HistoryMerge = VersionedModelMerge
