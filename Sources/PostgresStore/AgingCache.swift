/// A dictionary of two halves that forgets what is not in use: what is not set again between one
/// time that the newer half becomes the older one and the next is gone then.
struct AgingCache<Key: Hashable, Value> {
    private var newer: [Key: Value] = [:]
    private var older: [Key: Value] = [:]
    private let halfMax: Int

    /// - Parameter halfMax: how many each half may have.
    init(halfMax: Int) { self.halfMax = halfMax }

    subscript(key: Key) -> Value? { newer[key] ?? older[key] }

    /// - Returns: what it replaces; nil when it takes room, as it was not in the newer half.
    mutating func set(_ key: Key, _ value: Value) -> Value? {
        if newer.count >= halfMax { age() }
        return newer.updateValue(value, forKey: key)
    }

    mutating func age() { (newer, older) = ([:], newer) }

    mutating func removeAll() { (newer, older) = ([:], [:]) }
}
