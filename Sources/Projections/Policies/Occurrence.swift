import Domain

/// When a report counts as having happened, by its own time, the log's and the policy alone, so
/// that every fold of it says the same.
///
/// A time that lies ahead of the recording by more than the policy allows is not believed: it would
/// stand before whatever is really reported until then.
struct Occurrence: Hashable {
    let at: Moment
    /// What the event says, where that is not believed.
    let future: Moment?

    init(_ occurredAt: Moment, recordedAt: Moment, under policy: Policy) {
        if occurredAt > recordedAt,
            occurredAt.seconds(since: recordedAt) > policy[.clockSkew]
        {
            (at, future) = (recordedAt, occurredAt)
        } else {
            (at, future) = (occurredAt, nil)
        }
    }
}
