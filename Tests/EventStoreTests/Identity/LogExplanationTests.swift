import Domain
import EventStore
import Testing

struct `What is said of a log` {
    @Test func `that is held names the reason`() {
        let reasons = LogHold.allCases.map { LogExplanation.why($0) }
        #expect(
            reasons == [
                "an operator asked for that with `islet restore hold`",
                "the log was set back: a node has acknowledged more than there is",
                "this database is a copy: it was restored from a dump, moved or upgraded",
                "Postgres goes by another timeline, as after a restore to a point in time, and "
                    + "no node has seen the promotion",
            ])
        #expect(LogExplanation.remedy.contains("first `islet erase` again"))
        #expect(LogExplanation.remedy.contains("then `islet restore accept`"))
    }

    @Test func `names the tenant, and both ends that do not fit`() {
        let inconsistencies: [LogInconsistency] = [
            .head(tenant: "acme", position: 9, last: 7),
            .checkpoint(tenant: "acme", position: 9, head: 7),
            .webhook(tenant: "acme", position: 9, head: 7),
            .timestamp(tenant: "acme", seconds: 1_800_000_000), .clock(seconds: 90),
        ]
        #expect(
            inconsistencies.map { LogExplanation.line($0) } == [
                "the log of acme is said to end at 9 and ends at 7",
                "the checkpoint of acme is 9, and its log ends at 7",
                "a webhook of acme got changes up to 9, and its log ends at 7",
                "phones of acme were sent the timestamp 1800000000, which is in the future",
                "the database's clock is 90 s behind what the database has written down",
            ])
    }

    @Test func `advises to restore nothing over what is only hidden`() {
        let words = LogExplanation.hidden(["event", "log_head"])
        #expect(words.hasPrefix("nobody can say whether the log is whole"))
        #expect(words.contains("all rows of event, log_head,"))
        #expect(words.hasSuffix("restore no backup before this is repaired"))
    }

    @Test func `advises to wait only where nothing but times are ahead`() {
        let times: [LogInconsistency] = [
            .timestamp(tenant: "acme", seconds: 1), .clock(seconds: 90),
        ]
        let wait = LogExplanation.remedy(of: times)
        #expect(wait.contains("or wait until it has come that far"))
        let positions: [LogInconsistency] = [
            .head(tenant: "acme", position: 9, last: 7),
            .checkpoint(tenant: "acme", position: 9, head: 7),
            .webhook(tenant: "acme", position: 9, head: 7),
        ]
        for position in positions {
            let remedy = LogExplanation.remedy(of: times + [position])
            #expect(remedy == "restore all of the database from one and the same backup")
        }
    }

    @Test func `of an erasure that cannot be says what to do first`() {
        let refusals: [ErasureRefusal] = [.isBehind, .isBlocked, .isRebuilding, .isUnfoldable]
        let remedies = [
            "run the command again", "retry or skip it first", "let it end, or cancel it",
            "rebuild the projection first",
        ]
        for (refusal, remedy) in zip(refusals, remedies) {
            #expect("\(refusal)".contains(remedy))
        }
    }
}
