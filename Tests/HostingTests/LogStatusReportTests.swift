import API
import EventStore
import Pipeline
import Terminal
import Testing

@testable import Hosting

struct `A log that is a copy` {
    @Test func `makes a node unready, with the command that says more`() async {
        let sound = await LogStatusReport.check(LogStatus(epoch: 3)).probe()
        #expect(sound == .healthy("epoch 3"))
        var reasons: Set<String> = []
        for hold in LogHold.allCases {
            let check = LogStatusReport.check(LogStatus(epoch: 3, hold: hold))
            guard case .unhealthy(let why) = await check.probe() else {
                Issue.record("\(hold) is healthy")
                continue
            }
            #expect(why.hasSuffix("see islet restore status"), "\(why)")
            reasons.insert(why)
        }
        #expect(reasons.count == LogHold.allCases.count)
    }

    @Test func `is logged as an error with the remedy, and a sound one not at all`() {
        let lines = LoggedLines()
        LogStatusReport.write(LogStatus(), to: lines.log)
        #expect(lines.all == [])
        LogStatusReport.write(LogStatus(hold: .copied), to: lines.log)
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.hasPrefix("<3>nothing is folded, sent or answered") == true)
        #expect(lines.all.first?.contains("islet restore accept") == true)
    }
}

struct `A sign of life that no standby confirms` {
    @Test func `is what the next append would meet, and no line of the log`() {
        let (lines, node) = (LoggedLines(), NodeHealth(roles: [.api]))
        let away = EventStoreError.outcomeUnknown(detail: EventStoreError.standbyAwayDetail)
        for diagnostic in [IdentityWatch.Diagnostic.promoted, .unconfirmed(away)] {
            #expect(!node.store.isStandbyAway)
            diagnostic.note(in: node)
        }
        #expect(node.store.isStandbyAway)
        #expect(node.store.history(of: .append).counts == [:])
        IdentityWatch.Diagnostic.unconfirmed(away).write(to: lines.log)
        #expect(lines.all == [])
    }

    @Test func `is not kept for ever by a node that never appends`() {
        let node = NodeHealth(roles: [.sender])
        let away = EventStoreError.outcomeUnknown(detail: EventStoreError.standbyAwayDetail)
        IdentityWatch.Diagnostic.unconfirmed(away).note(in: node)
        #expect(!node.store.isStandbyAway)
    }
}

struct `A database that is not of one moment` {
    private func complaint(_ inconsistencies: LogInconsistency...) -> String {
        do {
            try LogStatusReport.refuse(inconsistencies)
            return ""
        } catch {
            guard case .failed(let text) = error else { return "\(error)" }
            return text
        }
    }

    @Test func `is refused with each thing that is ahead of the log`() {
        #expect(complaint() == "")
        let text = complaint(
            .head(tenant: "shop", position: 9, last: 7),
            .checkpoint(tenant: "feed", position: 5, head: 4))
        #expect(text.contains("the log of shop is said to end at 9 and ends at 7"))
        #expect(text.contains("the checkpoint of feed is 5, and its log ends at 4"))
        #expect(text.hasSuffix("restore all of the database from one and the same backup"))
    }

    @Test func `needs only its clock set right when nothing else is ahead`() {
        let remedy = "set the clock of the database's machine right"
        #expect(complaint(.clock(seconds: 90)).contains(remedy))
        #expect(
            complaint(.clock(seconds: 90), .timestamp(tenant: "shop", seconds: 4)).contains(remedy))
        #expect(
            !complaint(.clock(seconds: 90), .webhook(tenant: "shop", position: 2, head: 1))
                .contains(remedy))
    }
}
