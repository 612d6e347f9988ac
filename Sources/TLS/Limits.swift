enum Limits {
    /// The largest plaintext of one TLS record (RFC 8446, 5.1); a read never yields more.
    static let recordPlaintextBytesMax = 16_384
    /// Hosts in one self-signed certificate; more is a mistake, not a test set-up.
    static let certificateHostsMax = 100
    /// An authority made at run time serves tests and the simulator, never production.
    static let authorityLifetimeDays = 365
    /// Two machines' clocks may differ; a certificate is valid from a little before its making.
    static let clockToleranceSeconds = 3_600
}
