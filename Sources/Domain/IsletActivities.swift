// What a card's app links as well is the lowest part of the vocabulary, so everything that imports
// `Domain` has it.
@_exported public import IsletActivities
