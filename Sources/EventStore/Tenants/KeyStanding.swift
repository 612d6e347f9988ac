/// What becomes of somebody who presents an API key.
public enum KeyStanding: Hashable, Sendable {
    /// Expired and revoked keys have a grant too: the caller must look.
    case granted(KeyGrant)
    /// Its tenant has left this cell.
    case departed(to: Cell)
}
