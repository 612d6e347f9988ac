public import Projections

/// Whether an activity's followers get broadcasts or pushes one by one.
public enum ChannelChoice {
    /// How many followers it takes with one app; nil when their number makes no channel.
    /// - Parameters:
    ///   - name: of the activity's kind.
    ///   - policy: what the activity is judged by.
    public static func followersNeeded(ofKind name: String, under policy: Policy) -> Int? {
        guard let kind = ActivityCatalog.standard.kind(named: name) else { return nil }
        let count = Int(policy[kind.own(.broadcastFromFollowers)])
        return count > 0 ? count : nil
    }
}
