public import Domain
import Projections

/// Whether an activity's followers are told by broadcasts or one by one.
public enum ChannelChoice {
    /// How many followers it takes with one app; nil when their number makes no channel.
    /// - Parameters:
    ///   - name: of the activity's kind.
    ///   - stored: the tenant's policy that the activity is judged by; nil for what is built in.
    public static func followersNeeded(ofKind name: String, _ stored: StoredPolicy?) -> Int? {
        guard let kind = ActivityCatalog.kind(named: name) else { return nil }
        var policy = Policy.builtIn
        if let stored, let book = try? ActivityCatalog.book([stored]) {
            policy = book.policy(ofKind: name, at: .max)
        }
        let count = Int(policy[kind.own(.broadcastFromFollowers)])
        return count > 0 ? count : nil
    }
}
