import Domain
import EventStore
import Postgres

/// What is written under a claim. The parameters begin with $1 tenant, $2 activity, $3 timestamp;
/// no row comes back when a later claim was given out.
extension Statement {
    /// A fan-out to everyone notes how far it has come, which is all that there is to say of most
    /// phones; one to owed phones has no need to, since they are owed nothing any more.
    static func record(_ results: [PhoneResult], under claim: DeliveryClaim) -> Statement {
        var (fence, parameters) = (claimFence, fenceParameters(claim))
        if claim.completesUpTo > 0, let last = results.last {
            let accepted = results.count { $0.isAccepted }
            fence = progress
            parameters += [
                .int8(claim.completesUpTo), .int8(last.registrationID),
                .int4(Int32(clamping: accepted)),
                .int4(Int32(clamping: results.count - accepted)),
                .bool(results.contains(where: \.wasPushed)),
            ]
        }
        let noted = results.filter { !$0.needsNoWrite }
        guard !noted.isEmpty else { return Statement(fence, parameters) }
        let columns = noted.map { PhoneColumns($0.effect) }
        let first = parameters.count + 1
        parameters += [
            .int8s(noted.map(\.registrationID)),
            .int4s(noted.map { Int32(clamping: $0.tokenVersion) }),
            .int8s(columns.map(\.sentVersion)), .timestamps(columns.map { $0.retryAt?.timestamp }),
            .texts(columns.map(\.failure)), .bools(columns.map(\.isDead)),
            .timestamps(columns.map { $0.deadSince?.timestamp }),
            .int8(claim.lastCompleted?.version ?? 0),
        ]
        return Statement(recording(after: fence, from: first), parameters)
    }

    static func fenceParameters(_ claim: DeliveryClaim) -> [Parameter] {
        [.tenant(claim.tenant), .activity(claim.snapshot.activityID), .int8(claim.timestamp)]
    }

    static let claimFence = """
        SELECT tenant, activity_id FROM delivery_state
        WHERE tenant = $1 AND activity_id = $2 AND last_timestamp = $3 FOR SHARE
        """

    /// $4 version that the fan-out completes, $5 last phone, $6 accepted and $7 failed of the page,
    /// $8 whether a push of the page was accepted.
    private static let progress = """
        UPDATE delivery_state s SET round_version = $4::int8, round_cursor = $5::int8,
            round_accepted = $6::int4
                + CASE WHEN s.round_version = $4 THEN s.round_accepted ELSE 0 END,
            round_failed = $7::int4
                + CASE WHEN s.round_version = $4 THEN s.round_failed ELSE 0 END,
            round_timestamp = CASE WHEN $8::bool THEN s.last_timestamp
                WHEN s.round_version = $4 THEN s.round_timestamp END
        WHERE s.tenant = $1 AND s.activity_id = $2 AND s.last_timestamp = $3
        RETURNING s.tenant, s.activity_id
        """

    /// Writes what APNs answered into the phones' registrations, after the `fence`. Returns one
    /// row, or none if a later claim was given out.
    ///
    /// APNs' answers are about the registration as the page showed it. One that was made again
    /// meanwhile keeps what it is owed, and one that has died or was closed stays so.
    ///
    /// Parameter `first` and the six after it are of the phones. The one after them is the version
    /// that was completed last: a phone without failures has had every completed version, and only
    /// its first failure stores that version.
    ///
    /// A dead token has a time to be tried at, in case the phone has registered since. An unfit one
    /// has none, and is given up.
    private static func recording(after fence: String, from first: Int) -> String {
        let phones = (0..<7).map { "$\(first + $0)" }
        let completed = "$\(first + 7)::int8"
        // Most phones: they have had all that was completed.
        let isOwedNothing = "r.attempts = 0 AND r.retry_at IS NULL"
        let dies = "i.is_dead AND (i.dead_since IS NULL OR r.registered_at <= i.dead_since)"
        let catchesUp = """
            (r.attempts > 0 OR r.missed_from IS NOT NULL) AND i.sent_version > r.sent_version
            """
        return """
            WITH fence AS MATERIALIZED (
                \(fence)
            ), recorded AS (
                UPDATE registration r SET
                    sent_version = greatest(
                        r.sent_version, coalesce(i.sent_version, 0),
                        CASE WHEN \(isOwedNothing) THEN \(completed) END),
                    accepted_at = CASE WHEN i.sent_version > r.sent_version
                        THEN clock_timestamp()
                        WHEN \(isOwedNothing) AND \(completed) > r.sent_version
                        THEN NULL ELSE r.accepted_at END,
                    caught_up_from = CASE WHEN \(catchesUp)
                        THEN coalesce(r.missed_from, \(PhonesBehind.versionHad))
                        ELSE r.caught_up_from END,
                    caught_up_to = CASE WHEN \(catchesUp) THEN i.sent_version
                        ELSE r.caught_up_to END,
                    missed_from = CASE WHEN i.sent_version IS NULL THEN r.missed_from END,
                    attempts = CASE WHEN i.sent_version IS NULL
                        THEN \(AppQueries.attempts("r", after: "i.failure")) ELSE 0 END,
                    retry_at = CASE WHEN \(dies) THEN NULL ELSE i.retry_at END,
                    last_failure = i.failure,
                    dead_at = CASE WHEN \(dies) THEN clock_timestamp() END,
                    is_unfit = i.is_dead AND i.retry_at IS NULL,
                    is_proven = r.is_proven OR i.sent_version IS NOT NULL,
                    given_up_at = CASE
                        WHEN i.failure IS NOT NULL AND i.retry_at IS NULL THEN clock_timestamp() END
                FROM fence f, unnest(
                        \(phones[0])::int8[], \(phones[1])::int4[], \(phones[2])::int8[],
                        \(phones[3])::timestamptz[], \(phones[4])::text[], \(phones[5])::bool[],
                        \(phones[6])::timestamptz[]
                    ) AS i (id, token_version, sent_version, retry_at, failure, is_dead, dead_since)
                WHERE r.tenant = f.tenant AND r.activity_id = f.activity_id AND r.id = i.id
                    AND r.token_version = i.token_version AND r.dead_at IS NULL
                    AND r.closed_at IS NULL
            )
            SELECT count(*) FROM fence HAVING count(*) > 0
            """
    }
}

/// A result as the registration's columns have it.
private struct PhoneColumns {
    var sentVersion: Int64?
    var retryAt: Moment?
    var failure: String?
    var isDead = false
    var deadSince: Moment?

    init(_ effect: PhoneResult.Effect) {
        switch effect {
        case .accepted(let version): sentVersion = version
        case .retry(let at, let reason): (retryAt, failure) = (at, reason)
        case .dead(let reason, let since, let retryAt):
            (failure, isDead, deadSince, self.retryAt) = (reason, true, since, retryAt)
        case .unfit(let reason): (failure, isDead) = (reason, true)
        case .givenUp(let reason): failure = reason
        }
    }
}
