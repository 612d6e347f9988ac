/// What is found about a presented API key.
public enum KeyLookup: Hashable, Sendable {
    /// Expired and revoked keys have a grant too: the caller must look.
    case granted(KeyGrant)
    /// Its tenant has left this cell.
    case departed(to: Cell)
}
