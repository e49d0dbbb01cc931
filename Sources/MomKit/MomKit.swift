@_exported import DataModels
@_exported import ManagedObjects
@_exported import ModelEvolution
@_exported import ModelListing
@_exported import ModelSource
@_exported import PredicateFormat
