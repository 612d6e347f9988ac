/// Calls of the store by what a node needs them for: one kind may fail while others work.
public enum StoreCall: String, CaseIterable, Sendable {
    /// Recording what is reported. Every node answers HTTP.
    case append
    /// Folding and deciding: the role `projector`.
    case fold
    /// Claiming what is to be sent, and recording its result: the role `sender`.
    case send
}
