import Domain
import EventStore
import Foundation
import Projections

/// Words are said once, and all that is owed is said or explained.
extension Simulation {
    /// What APNs has and the store does not know of may be said again.
    func checkSaidOnce(_ name: CardName) {
        let accepted = book.accepted(name).filter { $0.event != "start" }
        let unrecorded = accepted.count { !book.isRecorded($0) }
        let registrations = cards(of: name).count { card in
            accepted.contains { $0.tokenHex == card.token.hex }
        }
        var wanted: [String: Int] = [:]
        for row in ledger(of: name) {
            for (alert, _) in row.decision.allAlerts { wanted[alert.body, default: 0] += 1 }
            // In other words than its own decision has, which another alert may have had before.
            for other in row.decision.alertContext?.amendments ?? [] {
                wanted[other.alert.body, default: 0] += 1
            }
        }
        for (body, count) in wanted.sorted(by: { $0.key < $1.key }) {
            let said = accepted.count { $0.says(body) }
            if said > count + unrecorded + max(0, registrations - 1) {
                find("\(name.person) was told “\(body)” \(said) times instead of \(count)")
            }
        }
    }

    /// A phone that was there when it was decided, and that a push of that round or a later one
    /// reached while it was news, has been told.
    func checkSaid(_ name: CardName) {
        let cards = cards(of: name)
        // A card that a fresh one has taken the place of ends without words.
        let replaced = Set(cards.filter { $0.state.closing == .replaced }.map(\.token.hex))
        let accepted = book.accepted(name).filter {
            $0.event != "start"
                && !($0.event == "end" && $0.words == nil && replaced.contains($0.tokenHex))
        }
        let rows = ledger(of: name)
        for (index, row) in rows.enumerated() {
            guard let alert = row.decision.alert, let timestamp = row.outcome?.timestamp,
                let first = accepted.first(where: { $0.timestamp >= timestamp }),
                let card = cards.first(where: { $0.token.hex == first.tokenHex }),
                card.registeredAt <= row.decision.decidedAt,
                first.at.seconds(since: row.decision.decidedAt) < 590
            else { continue }
            let since = accepted.filter { $0.at >= row.decision.decidedAt }
            if since.contains(where: { $0.mayHaveSaid(alert.body) }) { continue }
            if isWithdrawn(row.decision, by: rows.dropFirst(index + 1)) { continue }
            find("\(name.person) was never told “\(alert.body)”")
        }
    }

    private func isWithdrawn(_ decision: Decision, by later: ArraySlice<LedgerRow>) -> Bool {
        // What it says may be what was kept back before.
        let shown = decision.allAlerts.first { $0.alert == decision.alert }
        guard let alertContext = shown?.alertContext ?? decision.alertContext else { return false }
        // It may be as people have heard it, or correct what they have not.
        if alertContext.isCorrection || alertContext.changedValue != nil { return true }
        return later.contains { row in
            guard let subject = alertContext.subject, let other = row.decision.alertContext else {
                return false
            }
            return other.withdrawnSubjects.contains(subject)
                || other.amendments.contains { $0.subject == subject }
        }
    }

    /// No more pushes of priority 10 than the most generous of the policies allows.
    func checkBudget(_ activity: MemoryActivity, of id: ActivityID) {
        guard let name = activity.snapshot?.kind,
            let kind = ActivityCatalog.standard.kind(named: name)
        else { return }
        let tokens = max(kind.own(.budgetTokens).standard, 11)
        let refillSeconds = kind.own(.budgetRefillSeconds).standard
        let times = activity.ledger.map(\.decision).filter { $0.order?.isImmediate == true }
            .map(\.decidedAt)
        for (index, first) in times.enumerated() {
            for (count, last) in times[index...].enumerated() {
                let allowed = tokens + last.seconds(since: first) / refillSeconds
                if Double(count + 1) > allowed + 1 { return find("\(id) is beyond its budget") }
            }
        }
    }
}

extension SentPush {
    /// Several alerts in one push have a dot between them.
    private var said: [String] { words?.body.components(separatedBy: " · ") ?? [] }

    func says(_ body: String) -> Bool { words?.body == body || said.contains(body) }

    /// It says it, has cut it short or says how many more there are.
    func mayHaveSaid(_ body: String) -> Bool {
        guard let words else { return false }
        return words.body.contains(body) || words.body.hasSuffix("…")
            || said.last?.hasPrefix("+") == true
    }
}
