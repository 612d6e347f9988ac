import Domain
import JSON
import Projections

/// Tokens that come back at a steady pace, up to a number. Counted in thousandths and microseconds,
/// so that equal inputs give equal bytes.
struct TokenBucket: Hashable, Codable, Sendable {
    /// Nil while it is full and nothing was ever taken.
    private var millis: Int64?
    private var atMicroseconds: Int64?

    func tokens(at now: Moment, _ figures: BucketFigures) -> Double {
        Double(level(at: now, figures).millis) / 1000
    }

    /// Thousandths of tokens that there are now, and since when exactly so many. A clock that goes
    /// back brings none and takes none.
    private func level(at now: Moment, _ figures: BucketFigures) -> (millis: Int64, since: Int64) {
        guard let storedAt = atMicroseconds, let stored = millis else {
            return (figures.full, now.microseconds)
        }
        let atMicroseconds = Moment(microseconds: storedAt).microseconds
        // A policy may have made the bucket smaller since.
        let millis = min(max(stored, 0), figures.full)
        let passed = Double(max(0, now.microseconds - atMicroseconds))
        let back = (passed / figures.microsecondsPerMilli).rounded(.down)
        guard Double(millis) + back < Double(figures.full) else {
            return (figures.full, max(now.microseconds, atMicroseconds))
        }
        return (
            millis + Int64(back), atMicroseconds + Int64(back * figures.microsecondsPerMilli)
        )
    }

    /// Whether there is a token beside the reserve.
    func has(at now: Moment, keeping reserve: Double, _ figures: BucketFigures) -> Bool {
        level(at: now, figures).millis - 1000 >= Int64(reserve * 1000)
    }

    /// - Parameter reserve: tokens that must be left.
    /// - Returns: false, and nothing changes, when there are too few.
    mutating func take(at now: Moment, keeping reserve: Double, _ figures: BucketFigures) -> Bool {
        guard has(at: now, keeping: reserve, figures) else { return false }
        let level = level(at: now, figures)
        (millis, atMicroseconds) = (level.millis - 1000, level.since)
        return true
    }

    /// When there will be a whole token if none is taken.
    func next(from now: Moment, _ figures: BucketFigures) -> Moment {
        let level = level(at: now, figures)
        guard level.millis < 1000 else { return now }
        // Upwards, so that the last thousandth is there by then.
        let wait = (Double(1000 - level.millis) * figures.microsecondsPerMilli).rounded(.up)
        return Moment(microseconds: level.since + Int64(wait) + 1)
    }
}

extension TokenBucket: CanonicalValue {
    func write(to writer: inout CanonicalWriter) {
        writer.object { members in
            members.member("atMicroseconds", atMicroseconds)
            members.member("millis", millis)
        }
    }
}

extension BucketFigures {
    fileprivate var full: Int64 { Int64(tokens * 1000) }
    fileprivate var microsecondsPerMilli: Double { refillSeconds * 1000 }
}
