import APNs
public import Domain

extension Channel {
    /// Until when APNs keeps a broadcast for phones that are away, in Unix seconds. The next one
    /// replaces it.
    /// - Parameter timestamp: `aps.timestamp` of the broadcast.
    /// - Returns: 0 if the channel keeps nothing.
    public func expiration(ofPushAt timestamp: Int64) -> Int64 {
        switch storage {
        case .none: 0
        case .newest: timestamp + APNs.Limits.lastingExpirationSeconds
        }
    }
}
