import Domain
import EventStore
@testable import Explaining
import Foundation
import Testing

private func explain(
    _ verdict: Verdict, _ order: PushOrder? = nil, _ outcome: LedgerRow.Outcome? = nil,
    secondsLate: Double = 0, worth: Significance? = nil,
    around: DeliverySituation? = DeliverySituation()
) -> String {
    let at = Moment(unixSeconds: 1_800_000_000)
    let event = RecordedEvent(
        tenant: TenantID(rawValue: 1), position: 4, version: 3,
        recordedAt: at.adding(seconds: secondsLate),
        event: NewEvent(
            id: "1", source: "/shop", type: "Sample.Happened",
            activityID: ActivityID(rawValue: "a"), occurredAt: at, data: Data("{}".utf8)))
    let decision = Decision(
        activityID: ActivityID(rawValue: "a"), version: 3, position: 4, verdict: verdict,
        rule: "sample", reason: "Because.",
        alert: verdict == .alert ? Alert(title: "T", body: "B") : nil,
        contentState: Data("{}".utf8), decidedAt: at, order: order, policyVersion: 2,
        significance: worth)
    let findings = Findings(
        event: event,
        state: .decided(LedgerRow(decision: decision, outcome: outcome), before: nil),
        deliverySituation: around)
    return Explanation(findings).sentences.joined(separator: " ")
}

private func starts(_ counts: [StartState: Int]) -> DeliverySituation {
    DeliverySituation(
        audience: AudienceReport(
            topics: ["a:b"], notBefore: nil, counts: counts, nextAt: nil, isComplete: true,
            isClosed: false))
}

struct `An explanation` {
    private let budget = BudgetChange(
        before: .init(standard: 0.4, frequent: 31.2, quiet: 7),
        after: .init(standard: 0.4, frequent: 30.2, quiet: 7))

    @Test func `tells how late a report came and under which policy it was judged`() {
        #expect(explain(.timely, secondsLate: 0.2).contains("was recorded at once"))
        #expect(explain(.timely, secondsLate: 90).contains("was recorded 90 seconds later"))
        #expect(explain(.timely, secondsLate: 600).contains("was recorded 10 minutes later"))
        #expect(explain(.timely, secondsLate: 9000).contains("was recorded 2 hours later"))
        #expect(explain(.timely, secondsLate: 1.5).contains("was recorded 1 second later"))
        #expect(
            explain(.timely, secondsLate: -9000).contains(
                "which bears the time 2027-01-15T08:00:00Z and was recorded 2 hours before that"))
        #expect(explain(.hold).contains("“sample” of version 2 of the policy"))
    }

    @Test func `tells of what was recorded before it happened that it was`() {
        let early = explain(.timely, secondsLate: -600)
        #expect(early.contains("bears the time 2027-01-15T08:00:00Z"))
        #expect(early.contains("was recorded 10 minutes before that"))
        #expect(!early.contains("at once"))
        #expect(explain(.timely, secondsLate: -0.5).contains("was recorded at once"))
    }

    @Test func `says what is not known of an export`() {
        let text = explain(.alert, around: nil)
        #expect(text.hasSuffix("An export does not say what phones were sent."))
        #expect(!text.contains("sent yet"))
    }

    @Test func `names verdicts in words`() {
        #expect(explain(.timely).contains("without an alert (silent, immediate)"))
        #expect(explain(.quiet).contains("without an alert (silent, low priority)"))
        #expect(explain(.hold).contains("It was decided to send nothing."))
        #expect(Verdict.hold.words == "not sent")
    }

    @Test func `says that a later push brought what an earlier one could not`() {
        let outcome = LedgerRow.Outcome(
            carriedBy: 3, timestamp: 1_800_000_000, accepted: 1, failed: 2,
            completedAt: Moment(unixSeconds: 1_800_000_001))
        func text(_ behind: [PhonesBehind.Span: Int]) -> String {
            explain(
                .timely, nil, outcome,
                around: DeliverySituation(later: LaterPushes(PhonesBehind(behind))))
        }
        let late = PhonesBehind.Span(after: 2, through: 4)
        let (before, after) = (
            PhonesBehind.Span(after: 0, through: 2), PhonesBehind.Span(after: 3, through: 5)
        )
        #expect(text([late: 2]).contains("A later push brought it to those."))
        #expect(text([late: 9]).contains("A later push brought it to those."))
        let one = text([late: 1, after: 7])
        #expect(one.contains("A later push brought it to at least 1 of those."))
        #expect(!text([before: 1, after: 1]).contains("A later push"))
        // Nothing is known of phones whose cards are no longer kept.
        #expect(!text([:]).contains("A later push"))
        #expect(!text([late: 10_000]).contains("A later push"))
    }

    @Test func `says which event a card that is to be started waits for`() {
        var around = starts([:])
        around.audience?.awaits = "Match.MatchScheduled"
        #expect(
            explain(.quiet, around: around).contains(
                "No push starts a card until Match.MatchScheduled is reported"))
    }

    @Test func `tells what a change was worth when something else came of it`() {
        let sentence = "By itself the change was worth "
        #expect(explain(.hold, worth: .timely).contains(sentence + "a silent, immediate update."))
        #expect(explain(.quiet, worth: .alert).contains(sentence + "an alert."))
        #expect(explain(.end, worth: Significance.none).contains(sentence + "no push."))
        #expect(
            explain(.end, worth: .ambient).contains(sentence + "a silent update at low priority."))
        #expect(!explain(.alert, worth: .alert).contains(sentence))
        #expect(!explain(.hold).contains(sentence))
    }

    @Test func `tells what a short budget did, to either sort of phone`() {
        let mixed = PushOrder(
            isImmediateForFrequent: true, treatment: .lowered, budget: budget)
        #expect(
            explain(.alert, mixed).contains(
                "0 pushes at priority 10 left for phones in general, and 31"))
        #expect(explain(.alert, mixed).contains("at priority 5, those with frequent updates at 10"))
        let low = PushOrder(treatment: .lowered, budget: budget)
        #expect(explain(.alert, low).contains("All phones got it at priority 5"))
    }

    @Test func `tells until when a push was to wait`() {
        let order = PushOrder(
            sendAfter: Moment(unixSeconds: 1_800_000_005), treatment: .merged, budget: budget)
        #expect(explain(.quiet, order).contains("wait until 2027-01-15T08:00:05Z"))
    }

    @Test func `names the apps of the most phones, and counts the others`() {
        let deferred = (1...100).map { number in
            DeferredPhones(
                app: TenantApp(
                    tenant: TenantID(rawValue: 1), bundleID: "com.app-\(number)",
                    environment: .sandbox),
                suspension: .noApp, count: number, starts: number)
        }
        let sentences = deferred.sentences(of: .cards)
        #expect(sentences.count == 21)
        #expect(sentences.first?.hasPrefix("100 phones wait, since the app com.app-100 is") == true)
        #expect(sentences.last == "Phones wait for 80 more apps.")
        #expect(
            deferred.sentences(of: .starts).last
                == "The card is not started on phones of 80 more apps.")
        #expect(Array(deferred.prefix(20)).sentences(of: .cards).count == 20)
    }

    @Test func `tells of what was counted no further that there is more`() {
        let tenant = TenantID(rawValue: 1)
        let deferred = [("com.one", 9_999), ("com.two", 1)].map { bundleID, count in
            DeferredPhones(
                app: TenantApp(
                    tenant: tenant, app: AppInEnvironment(bundleID: bundleID, environment: .sandbox)
                ),
                suspension: .noApp, count: count)
        }
        #expect(
            explain(.quiet, around: DeliverySituation(deferred: Array(deferred.prefix(1))))
                .contains(
                    "9999 phones wait, since"))
        let all = explain(.quiet, around: DeliverySituation(deferred: deferred))
        #expect(all.contains("9999 or more phones wait, since the app com.one is not there"))
        #expect(all.contains("1 or more phones wait, since the app com.two is not there"))
        let text = explain(
            .quiet, around: starts([.started: 10_000, .held: 10_000, .unknown: 9_999]))
        #expect(
            text.contains("started the card on 10000 or more phones; 10000 or more wait because"))
        #expect(text.contains(", 9999 were sent one that APNs did not answer for"))
    }

    @Test func `speaks of one as of one`() {
        let one = explain(
            .quiet,
            around: starts([
                .waiting: 1, .trying: 1, .held: 1, .refused: 1, .unknown: 1, .needless: 1,
            ]))
        let words = [
            "1 is still to be sent one", "1 is being sent one", "1 waits because its phone's",
            "1 was refused by APNs", "1 was sent one that", "1 needed none, since it had a card",
        ]
        for sentence in words { #expect(one.contains(sentence), "\(one)") }
        var budget = self.budget
        budget.before.standard = 1.2
        #expect(
            explain(.alert, PushOrder(treatment: .asWanted, budget: budget)).contains(
                "The budget had 1 push at priority 10 left"))
    }

    @Test func `tells which phones were left out and why, when something was sent`() {
        let cards = CardTally(
            closed: [.dismissed: 1, .replaced: 2, .ended: 3, .removed: 1, .broadcast: 1], dead: 2)
        let text = explain(.quiet, around: DeliverySituation(cards: cards))
        #expect(text.contains("1 card had been swiped away, and stays so"))
        #expect(text.contains("3 cards had ended on the phone"))
        let replaced = "2 cards had been replaced, and no newer push token of their phones was"
        #expect(text.contains("\(replaced) registered"))
        let broadcast = "1 card had asked for the broadcast channel instead of pushes of its own"
        #expect(text.contains(broadcast))
        #expect(!text.contains("served instead") && !text.contains("listens"))
        #expect(text.contains("1 card had been taken back by the app"))
        #expect(text.contains("2 push tokens no longer worked"))
        let unfit = explain(.quiet, around: DeliverySituation(cards: CardTally(unfit: 1)))
        #expect(unfit.contains("1 push token did not belong to the app and environment"))
        #expect(unfit.contains("nothing goes there until its phone registers again"))
        let many = explain(
            .quiet,
            around: DeliverySituation(cards: CardTally(closed: [.dismissed: 9_000], dead: 1_000))
        )
        #expect(many.contains("Nothing went to others, of whom there are 10000 or more."))
        #expect(many.contains("Of the first 10000, 9000 cards had been swiped away"))
        let cut = explain(
            .quiet,
            around: DeliverySituation(cards: CardTally(closed: [.removed: 7], isCutShort: true)))
        #expect(cut.contains("Nothing went to many others."))
        #expect(cut.contains("Of the first 10000 push tokens: 7 cards had been taken back"))
        let served = explain(
            .quiet, around: DeliverySituation(cards: CardTally(isCutShort: true)))
        #expect(served.contains("Each card of the first 10000 push tokens that stopped being"))
        #expect(served.contains("served has another one that is served; later ones were not"))
        #expect(!served.contains("Nothing went to"))
        #expect(!explain(.hold, around: DeliverySituation(cards: cards)).contains("swiped"))
        #expect(
            !explain(.quiet, around: DeliverySituation(cards: CardTally())).contains(
                "Nothing went to others"))
    }

    @Test func `says the result`() {
        let at = Moment(unixSeconds: 1_800_000_001)
        #expect(explain(.hold).contains("No phone was sent anything"))
        #expect(explain(.alert).contains("has not been sent yet"))
        let nobody = LedgerRow.Outcome(
            carriedBy: 3, timestamp: nil, accepted: 0, failed: 0, completedAt: at)
        #expect(explain(.alert, nil, nobody).contains("no phone was registered"))
        let tooLarge = LedgerRow.Outcome(
            carriedBy: 3, timestamp: nil, accepted: 0, failed: 2, completedAt: at)
        #expect(explain(.alert, nil, tooLarge).contains("the state is too large for a push"))
        let carried = LedgerRow.Outcome(
            carriedBy: 5, timestamp: 1_800_000_000, accepted: 2, failed: 1, completedAt: at)
        #expect(
            explain(.alert, nil, carried).contains(
                "The push of version 5 carried it; APNs accepted it for 2 of 3 phones, and not "
                    + "for 1"))
    }

    @Test func `names APNs' reason for phones that got nothing, then and later`() {
        let at = Moment(unixSeconds: 1_800_000_010)
        func text(
            accepted: Int, failed: Int, _ refusedAfter: Double?, after version: Int64 = 0,
            registeredAfter: Double = -60, closedAfter: Double? = nil
        ) -> String {
            var behind = PhonesBehind()
            behind.refusals = [
                PhonesBehind.Refusal(
                    reason: "BadDeviceToken", after: version,
                    registeredAt: at.adding(seconds: registeredAfter),
                    refusedAt: refusedAfter.map { at.adding(seconds: $0) },
                    closedAt: closedAfter.map { at.adding(seconds: $0) })
            ]
            let outcome = LedgerRow.Outcome(
                carriedBy: 3, timestamp: 1_800_000_009, accepted: accepted, failed: failed,
                completedAt: at)
            return explain(
                .timely, nil, outcome, around: DeliverySituation(later: LaterPushes(behind)))
        }
        #expect(text(accepted: 0, failed: 2, 0.1).contains("and not for 2 (BadDeviceToken), by"))
        // It had been refused before, or has it by now.
        #expect(text(accepted: 0, failed: 2, -20).contains("and not for 2, by"))
        #expect(text(accepted: 0, failed: 2, 20, after: 3).contains("and not for 2, by"))
        // One that has registered again since, and one that was not there.
        #expect(
            text(accepted: 0, failed: 2, 20, after: 1, registeredAfter: 10).contains(
                "and not for 2 (BadDeviceToken), by"))
        #expect(
            text(accepted: 0, failed: 2, 20, registeredAfter: 10).contains("and not for 2, by"))
        // One that waits for another try.
        #expect(text(accepted: 0, failed: 2, nil).contains("and not for 2 (BadDeviceToken), by"))
        #expect(text(accepted: 0, failed: 2, nil, after: 3).contains("and not for 2, by"))
        #expect(text(accepted: 0, failed: 0, nil).contains("no phone was registered."))
        #expect(
            text(accepted: 0, failed: 0, -1).contains(
                "no phone was registered except for those that APNs had refused "
                    + "(BadDeviceToken)."))
        #expect(text(accepted: 0, failed: 0, 1).contains("no phone was registered."))
        #expect(
            text(accepted: 0, failed: 0, -5, closedAfter: -1).contains("no phone was registered."))
    }

    @Test func `calls nothing sent that the push before it had told`() {
        let ahead = LedgerRow.Outcome(
            carriedBy: 3, timestamp: nil, accepted: 2, failed: 0,
            completedAt: Moment(unixSeconds: 1_800_000_001))
        let words = explain(.alert, nil, ahead)
        #expect(
            words.contains("was covered by an earlier push, which brought this to 2 phones as well")
        )
        #expect(!words.contains("APNs accepted it"))
    }

    @Test func `pretends to know no phone that heard a broadcast`() {
        let at = Moment(unixSeconds: 1_800_000_001)
        let broadcast = LedgerRow.Outcome(
            carriedBy: 3, timestamp: 1_800_000_000, accepted: 0, failed: 0, completedAt: at,
            channels: ChannelTally(accepted: 1, failed: 2))
        let words = explain(.alert, nil, broadcast)
        #expect(words.contains("APNs accepted one broadcast to the listeners."))
        // It may have been repeated with success, which the ledger does not have.
        #expect(
            words.contains(
                "APNs did not accept 2 broadcasts when it was due, and may have done so since."))
        #expect(!words.contains("no phone was registered"))
    }
}
