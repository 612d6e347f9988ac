import IsletActivities

/// Finds a name that comes twice in an object. Few names are compared one by one, which is faster
/// than a set; many are not, or a hostile object could keep the server busy.
struct MemberNames {
    private static let comparedMax = 16

    private var names: Set<ByteKey> = []

    /// - Parameter members: all that came before.
    /// - Returns: false when one of them has the name.
    mutating func insert(_ name: String, after members: [JSON.Member]) -> Bool {
        guard members.count >= Self.comparedMax else {
            return !members.contains { $0.name.hasBytes(of: name) }
        }
        if names.isEmpty { names = Set(members.lazy.map { ByteKey($0.name) }) }
        return names.insert(ByteKey(name)).inserted
    }
}
