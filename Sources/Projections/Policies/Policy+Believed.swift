import Domain

extension Policy {
    /// When a report counts as having happened, by its own time, the log's and the policy alone, so
    /// that every fold of it says the same.
    ///
    /// A time that lies ahead of the recording by more than the policy allows is not believed: it
    /// would stand before whatever is really reported until then.
    func believed(_ occurredAt: Moment, recordedAt: Moment) -> Moment {
        let isAhead =
            occurredAt > recordedAt && occurredAt.seconds(since: recordedAt) > self[.clockSkew]
        return isAhead ? recordedAt : occurredAt
    }
}
