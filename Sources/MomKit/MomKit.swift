@_exported import CompiledModel
@_exported import ManagedModel
@_exported import ManagedObjects
@_exported import ModelCompiler
@_exported import ModelEvolution
@_exported import ModelListing
@_exported import ModelSource
@_exported import PredicateFormat
