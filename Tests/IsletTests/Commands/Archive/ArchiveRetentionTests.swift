import Domain
import EventStore
import Terminal
import Testing

@testable import islet

private let now = Moment(unixSeconds: 1_800_000_000)

struct `How long activities are kept` {
    private func retention(_ line: String) throws(CommandFailure) -> Retention {
        try ArchiveRetention.parse(CommandWords("archive " + line).arguments())
            .retention(at: now)
    }

    private func refusal(_ line: String) -> CommandFailure? {
        do throws(CommandFailure) {
            _ = try retention(line)
            return nil
        } catch { return error }
    }

    @Test func `is said in days, for all kinds or for one`() throws {
        let both = try retention("--older-than-days 90 --kind-days Match=365")
        #expect(both.otherwise == now.adding(seconds: -90 * 86_400))
        #expect(both.kinds == ["Match": now.adding(seconds: -365 * 86_400)])
        #expect(both.newest == both.otherwise)
    }

    @Test func `may be said of kinds alone, and all else stays`() throws {
        let kinds = try retention("--kind-days Match=365 --kind-days PizzaDelivery=1")
        #expect(kinds.otherwise == nil)
        #expect(kinds.kinds.keys.sorted() == ["Match", "PizzaDelivery"])
        #expect(kinds.newest == now.adding(seconds: -86_400))
    }

    @Test func `has to be said`() {
        let refusal = refusal("--to /archive")
        #expect(refusal?.exitCode == 2)
        #expect(refusal?.text.contains("--older-than-days") == true)
        #expect(refusal?.text.contains("--kind-days") == true)
    }

    @Test(arguments: ["Match", "Match=", "Match=0", "Match=36501", "Match=1.5", "Match=-1"])
    func `is a number of days`(text: String) {
        #expect(
            refusal("--kind-days \(text)")
                == .usage("--kind-days must look like Match=365, not \"\(text)\""))
    }

    @Test func `is said once for a kind`() {
        #expect(
            refusal("--kind-days Match=30 --kind-days PizzaDelivery=1 --kind-days Match=365")
                == .usage("--kind-days says twice how long Match is kept; say it once"))
    }

    @Test func `is of a kind that there is`() {
        #expect(
            refusal("--kind-days Mach=365")
                == .usage("--kind-days: there is no kind Mach; did you mean Match?"))
    }

    @Test(arguments: ["0", "36501", "90d"])
    func `is at most a hundred years`(days: String) {
        #expect(
            refusal("--older-than-days \(days)")
                == .usage("--older-than-days must be a whole number from 1 to 36500"))
    }

    @Test func `is asked for together with a place`() async {
        #expect(
            await CommandWords("archive --older-than-days 90").refusal()
                == .usage("--to is missing; give it or set ISLET_TO"))
    }
}

struct `An archived log` {
    private func log(_ place: String?) -> ArchivedLog {
        ArchivedLog(
            tenant: "pizzeria", place: place, firstPosition: place.map { _ in 8 },
            lastPosition: place.map { _ in 90 }, chain: place.map { _ in "c0ffee" },
            activitiesDropped: 2, eventsDropped: 11)
    }

    @Test func `says where it is and what was dropped`() {
        #expect(
            log("/archive/8-90").text(drops: true) == """
                Archived positions 8 to 90 of pizzeria in /archive/8-90.
                Chain c0ffee
                Dropped 2 activities with 11 events.
                """)
    }

    @Test func `says what keeps an activity where none was dropped, if it was to drop any`() {
        var log = log(nil)
        (log.activitiesDropped, log.eventsDropped) = (0, 0)
        #expect(log.text(drops: true).contains("Dropped no activity"))
        #expect(log.text(drops: true).contains("had its card dismissed"))
        #expect(
            log.text(drops: false) == "Nothing new of pizzeria is old enough to be archived.")
    }

    @Test func `says of one that was lost where it is now`() {
        let again = LogArchive(after: 7, through: 90, place: "/archive/events-8-90", chain: "c")
        let text = ArchivedLog.writtenAgain(again)
        #expect(text.contains("positions 8 to 90 could not be read"))
        #expect(text.hasSuffix("they are in /archive/events-8-90 now."))
    }

    @Test func `says that there is nothing new, and leaves it out for programs`() {
        #expect(
            log(nil).text(drops: true) == """
                Nothing new of pizzeria is old enough to be archived.
                Dropped 2 activities with 11 events.
                """)
        #expect(
            Console.json(log(nil)) == """
                {
                  "activitiesDropped" : 2,
                  "eventsDropped" : 11,
                  "tenant" : "pizzeria"
                }
                """)
    }
}
