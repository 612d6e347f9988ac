import EventStore

/// What a key stands for, as it was found. An object, since every request with the key has it.
final class Grant: Sendable {
    let key: KeyGrant
    /// The key's hash.
    let hash: [UInt8]
    let allowance: Allowance

    init(_ key: KeyGrant, hash: [UInt8], _ limits: APILimits) {
        self.key = key
        self.hash = hash
        allowance = Allowance(limits, key.limits)
    }
}
