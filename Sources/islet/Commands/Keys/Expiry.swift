import Domain
import Terminal

/// `--expires`, as people write it.
enum Expiry {
    /// - Throws: `.usage` for what is no time, or lies in the past.
    static func moment(_ text: String?, now: Moment) throws(CommandFailure) -> Moment? {
        guard let text else { return nil }
        guard let moment = Moment(rfc3339: text) ?? after(text, now: now) else {
            throw .usage(
                "--expires must be a time such as 30d, 12h or 90m, or RFC 3339 with a zone, such "
                    + "as 2027-01-01T00:00:00Z")
        }
        guard moment > now else { throw .usage("--expires lies in the past") }
        return moment
    }

    private static func after(_ text: String, now: Moment) -> Moment? {
        let seconds: [Character: Double] = ["d": 86_400, "h": 3_600, "m": 60]
        // A hundred years are enough, and far from where a moment would overflow.
        guard let unit = text.last.flatMap({ seconds[$0] }), let count = Int(text.dropLast()),
            count > 0, Double(count) * unit <= 36_500 * 86_400
        else { return nil }
        return now.adding(seconds: Double(count) * unit)
    }
}
