/// Gives out `aps.timestamp`, one for each fan-out of an activity, whatever the fan-out is about.
///
/// Phones drop what is not newer than the newest they have obeyed, and everything honest after one
/// push from the future. So a timestamp is the clock's second, or there is none yet: with
/// `max(now, last + 1)` that is the same as one push a second. The end is the highest because
/// nothing follows it but itself, to phones that come late.
///
/// The store's claim is the same in SQL, with the database's clock; a test holds the two equal.
public enum TimestampAllocator {
    /// A timestamp, or the time of the next one.
    public enum Allocation: Hashable, Sendable {
        case use(Int64)
        /// The activity has had its push of this second.
        case wait(until: Int64)
    }

    /// - Parameters:
    ///   - last: the activity's last timestamp, Unix seconds; nil before its first.
    ///   - now: Unix seconds, rounded down.
    public static func next(last: Int64?, now: Int64) -> Allocation {
        guard let last, last >= now else { return .use(now) }
        return .wait(until: last + 1)
    }
}
