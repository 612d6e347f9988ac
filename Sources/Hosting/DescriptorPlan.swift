import Glibc
import Terminal

/// How many clients may be connected, by how many descriptors this process may have open.
struct DescriptorPlan: Hashable {
    /// Kept for everything but clients. What watches a library's socket takes another one.
    /// Postgres: two pools of 28 in all and 12 that listen or have locks, twice, 80. Webhooks: 64
    /// kept and 32 under way, twice, 192. APNs: 64. Clients that are being turned away: 64. Event
    /// loops, files, the log and its like: 48.
    static let reserved = 448
    /// With fewer the server would turn away the first office that comes.
    static let connectionsMin = 64

    let descriptorsMax: Int
    let connectionsMax: Int

    /// - Parameter wished: connections that are wanted at most.
    init(descriptorsMax: Int, wished: Int) throws(CommandFailure) {
        let left = descriptorsMax - Self.reserved
        guard left >= Self.connectionsMin else {
            throw .failed(
                "this process may have \(descriptorsMax) files open, and the server needs "
                    + "\(Self.reserved + Self.connectionsMin): \(Self.reserved) for Postgres, "
                    + "APNs, webhooks and files, and \(Self.connectionsMin) for clients; raise the "
                    + "hard limit (ulimit -Hn, LimitNOFILE of systemd, --ulimit nofile of Docker)")
        }
        self.descriptorsMax = descriptorsMax
        connectionsMax = min(wished, left)
    }

    /// Raises the soft limit as far as the hard one lets it.
    /// - Returns: how many descriptors there may be.
    static func raiseLimit() -> Int {
        guard let limit else { return Int(Int32.max) }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        let isRaised = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0
        return Int(clamping: isRaised ? raised.rlim_cur : limit.rlim_cur)
    }

    /// Nil where the system does not say.
    static var limit: rlimit? {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? limit : nil
    }
}
