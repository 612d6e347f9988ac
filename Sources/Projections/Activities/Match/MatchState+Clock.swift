import Domain

extension MatchState {
    /// When a minute of play was over at the latest, by the clocks of the periods that may have had
    /// it; nil when none of them is known. So a goal of a past period is known to be old, whatever
    /// time its report bears.
    func latest(_ minute: Int?, _ addedMinutes: Int?) -> Moment? {
        guard let minute else { return nil }
        return periods.compactMap { period, record in
            guard let zero = record.clockZero?.value, period.clockSecondsAtStart <= minute * 60
            else { return nil }
            return zero.adding(seconds: Double(minute + (addedMinutes ?? 0)) * 60)
        }.max()
    }
}
