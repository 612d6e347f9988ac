import Archive
import Domain
import EventStore
import Foundation
import Replay
import Terminal
import Testing

@testable import islet

private let eight = Moment(unixSeconds: 1_800_000_000)

struct `Words of a timeline` {
    @Test(
        arguments: [
            (-0.001, "recorded before it happened"), (0, "in time"), (0.999, "in time"),
            (1, "1 second late"), (90, "90 seconds late"), (120, "2 minutes late"),
            (7_200, "2 hours late"),
        ] as [(Double, String)])
    func `say how late an event was recorded`(seconds: Double, words: String) {
        #expect(TimelineText.lateness(seconds) == words)
    }

    private func decision(_ order: PushOrder?) -> Decision {
        Decision(
            activityID: ActivityID(rawValue: "final"), version: 1, position: 1, verdict: .alert,
            rule: "goal", reason: "", contentState: Data(), decidedAt: eight, order: order)
    }

    @Test func `say nothing of a budget where nothing is sent`() {
        #expect(TimelineText.budget(decision(nil)) == nil)
    }

    @Test func `say at which priority phones are sent to, and when`() {
        let always = PushOrder(isImmediate: true, isImmediateForFrequent: true)
        #expect(TimelineText.budget(decision(always)) == "priority 10")
        let never = PushOrder(sendAfter: eight)
        #expect(
            TimelineText.budget(decision(never))
                == "priority 5, not before 2027-01-15T08:00:00Z")
        let frequent = PushOrder(isImmediate: false, isImmediateForFrequent: true)
        #expect(
            TimelineText.budget(decision(frequent))
                == "priority 5, with frequent updates 10")
    }

    @Test func `say what is left of the budgets, and never more than there is`() {
        let order = PushOrder(
            isImmediate: true, isImmediateForFrequent: true,
            budget: BudgetChange(
                before: .init(standard: 3, frequent: 10.5, quiet: 1),
                after: .init(standard: 2, frequent: 9.59, quiet: 1)))
        #expect(
            TimelineText.budget(decision(order))
                == "priority 10; left of priority 10: 3 → 2, with frequent updates 10.5 → 9.5")
    }
}

struct `The phones of a timeline` {
    private let text = TimelineText(
        paint: Paint("never", isTerminal: false, environment: [:]), hasLedger: true)

    private func row(_ id: Int64, _ change: (inout PhoneRow) -> Void) -> PhoneRow {
        var row = PhoneRow(
            id: id, bundleID: "com.example.pizza", environment: "sandbox", registeredAt: eight)
        change(&row)
        return row
    }

    private func state(_ change: (inout PhoneRow) -> Void) -> String {
        let line = text.phones([row(1, change)]).split(separator: "\n").last ?? ""
        return String(line.split(separator: "  ").last ?? "").trimmingPrefix(" ").description
    }

    @Test func `are none where none was registered`() {
        #expect(text.phones([]) == "no phone was ever registered")
    }

    @Test func `have a line each`() {
        let rows = [
            row(1) { $0.locale = "de" }, row(12) { $0.sentVersion = 7 },
        ]
        let moment = "2027-01-15T08:00:00Z"
        let app = "com.example.pizza (sandbox)"
        #expect(
            text.phones(rows).split(separator: "\n").dropFirst() == [
                "1      \(app)  de        \(moment)  nothing        up to date",
                "12     \(app)  –         \(moment)  v7             up to date",
            ])
    }

    @Test func `stand as what happened to them last`() {
        let moment = "2027-01-15T08:00:00Z"
        #expect(state { _ in } == "up to date")
        #expect(
            state {
                $0.attempts = 3
                $0.lastFailure = "503"
            } == "3 attempts failed (503)")
        #expect(state { $0.attempts = 1 } == "1 attempt failed")
        #expect(state { $0.owedAt = eight } == "owed the newest state from \(moment)")
        #expect(state { $0.owedAt = Moment(unixSeconds: 0) } == "owed the newest state")
        #expect(state { $0.deadAt = eight } == "token dead since \(moment)")
        #expect(
            state {
                $0.closedAt = eight
                $0.closedBy = "the app"
                $0.deadAt = eight
            } == "closed at \(moment): the app")
        let unfit = state {
            $0.deadAt = eight
            $0.isUnfit = true
            $0.lastFailure = "BadDeviceToken"
        }
        #expect(unfit.hasPrefix("left alone since \(moment), until it registers again"))
        #expect(unfit.hasSuffix("(BadDeviceToken)"))
    }
}

struct `The end of a replay` {
    @Test func `is that of Ctrl-C, whatever it was in the middle of`() async {
        let work = Task {
            while !Task.isCancelled { await Task.yield() }
            return [
                ArchiveRun.failure(.interrupted), ArchiveRun.failure(.file("log", "is cut off")),
                ArchiveRun.failure(.store(.unavailable(detail: "the connection was closed"))),
            ]
        }
        work.cancel()
        for failure in await work.value { #expect(failure.exitCode == 130, "\(failure)") }
    }

    @Test func `has the exit code of its cause`() {
        let activity = ActivityID(rawValue: "order-1")
        let unknown = ReplaySource.failure(
            .noSuchActivity(activity, similar: [ActivityID(rawValue: "order-2")]))
        #expect(unknown.exitCode == 1)
        #expect(unknown.text.contains("did you mean order-2?"))
        #expect(ReplaySource.failure(.policy(["/a is none", "/b is none"])).exitCode == 2)
        #expect(ReplaySource.failure(.interrupted).exitCode == 130)
        #expect(ArchiveRun.failure(.noManifest("here")).exitCode == 1)
        #expect(ReplaySource.failure(.trace("the file ends")) == .failed("the file ends"))
    }

    @Test func `of an export names what is wrong with it`() {
        #expect(
            ArchiveRun.failure(.noManifest("/nowhere"))
                == .failed("/nowhere does not exist: there is no export"))
        let hole = ArchiveRun.failure(.hole(from: 3, to: 5))
        #expect(hole.exitCode == 1)
        #expect(hole.text.contains("positions 3 to 5"))
    }
}

struct `What a replay reads` {
    @Test(arguments: ["--tenant pizzeria", "--database-url postgresql://h/d", "--data-dir /d"])
    func `is an export or a database`(option: String) async {
        let words = "replay verify --from /backup \(option)"
        let name = option.split(separator: " ").first ?? ""
        #expect(
            await CommandWords(words).refusal()
                == .usage("--from is an export and \(name) a database's; give one of them"))
    }

    @Test func `has no ledger when it is an export`() async {
        let refusal = await CommandWords("replay verify --from /backup --decisions").refusal()
        #expect(refusal?.exitCode == 2)
        #expect(refusal?.text.hasSuffix("leave out --decisions") == true)
    }

    @Test func `is compared with one other`() async {
        for words in ["", " --fold this", " --fold this --fold a --fold b"] {
            #expect(
                await CommandWords("replay diff" + words).refusal()
                    == .usage("--fold must be given twice: what to compare, and with what"))
        }
    }

    @Test func `names a program that writes no fold, or fails without a word`() async {
        let silent = await CommandWords("replay diff --fold /bin/true --fold this").refusal()
        #expect(
            silent?.text.hasPrefix("/bin/true ran and wrote no fold") == true, "\(silent as Any)")
        let failing = await CommandWords("replay diff --fold /bin/false --fold this").refusal()
        let text = failing?.text ?? ""
        #expect(text.hasPrefix("/bin/false could not fold the log: it "), "\(text)")
        #expect(text.contains("without a word; if \(NSTemporaryDirectory()) is full"), "\(text)")
    }

    @Test(arguments: [
        "coalesceSeconds", "=5", "coalesceSeconds=", "a=many", "a=inf", "a=nan", "a=0x10",
    ])
    func `is tried with thresholds that are numbers`(threshold: String) async {
        let words = "replay what-if --kind Match --threshold \(threshold)"
        #expect(
            await CommandWords(words).refusal()
                == .usage(
                    "--threshold must be NAME=VALUE with a number, such as coalesceSeconds=30"))
    }

    @Test func `is not tried with two values of one threshold`() async {
        let words = "replay what-if --kind Match --threshold a=1 --threshold b=1 --threshold a=2"
        #expect(
            await CommandWords(words).refusal() == .usage("--threshold says a twice; say it once"))
    }

    @Test func `is tried with a file or with thresholds of one kind`() async {
        let either = CommandFailure.usage(
            "give either --policy FILE or --threshold NAME=VALUE")
        #expect(await CommandWords("replay what-if").refusal() == either)
        let both = "replay what-if --policy p.json --threshold a=1 --kind Match"
        #expect(await CommandWords(both).refusal() == either)
        #expect(
            await CommandWords("replay what-if --threshold a=1").refusal()
                == .usage("--kind is missing: a threshold is one kind's"))
    }
}
