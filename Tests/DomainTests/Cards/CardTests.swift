import Domain
import Testing

struct `Cards and phones` {
    private static let answers: [(CardChange.Answer, Bool)] = [
        (.registered, true), (.known, true), (.rotated, true), (.alreadyRotated, false),
        (.conflict, false), (.noted, false), (.removed, false), (.listening, false),
        (.closed(.dismissed), false), (.closed(.broadcast), false), (.unknown, false),
        (.tooMany, false),
    ]

    /// A phone that has just registered shows an old state, or none at all.
    @Test(arguments: answers)
    func `are owed the newest state when they register`(answer: CardChange.Answer, isOwed: Bool) {
        #expect(CardChange(answer).owesNewest == isOwed)
        #expect(CardChange(answer, named: CardState(closing: .removed)).owesNewest == isOwed)
    }

    @Test func `are served from their first version until something closes them`() {
        let card = CardState()
        #expect(card.tokenVersion == 1)
        #expect(card.closing == nil)
        #expect(CardChange(.noted).named == nil)
        #expect(Cards().tokens == 0)
    }

    @Test func `are counted in all, and so is whether that were too many to count`() {
        #expect(!CardTally().isPartial)
        #expect(
            !CardTally(closed: [.dismissed: 4999, .ended: 2000], dead: 2000, unfit: 1000)
                .isPartial)
        #expect(
            CardTally(closed: [.dismissed: 5000, .ended: 2000], dead: 2000, unfit: 1000)
                .isPartial)
        #expect(CardTally(dead: 10_000).isPartial)
        #expect(CardTally(unfit: 10_000).isPartial)
        #expect(CardTally(closed: [.replaced: 10_000]).isPartial)
    }

    @Test func `are behind a version that they were not sent`() {
        let behind = PhonesBehind([3: 5, 7: 10, 9: 100])
        let counts = [0, 3, 4, 7, 8, 9, 10, Int64.max].map { behind.count(before: $0) }
        #expect(counts == [0, 0, 5, 5, 15, 15, 115, 115])
        #expect(PhonesBehind().count(before: .max) == 0)
    }

    @Test func `are behind in a number that nobody knows once there are too many`() {
        let behind = PhonesBehind([1: 9000, 2: 999, 3: 1])
        #expect(behind.count(before: 3) == 9999)
        #expect(behind.count(before: 4) == nil)
    }

    @Test func `that wait for an app are partly counted when either sort is`() {
        func waiting(_ count: Int, starts: Int, _ suspension: AppSuspension) -> DeferredPhones {
            DeferredPhones(
                app: TenantApp(
                    tenant: TenantID(rawValue: 1), bundleID: "app.pizza", environment: .sandbox),
                suspension: suspension, count: count, starts: starts)
        }
        #expect(![DeferredPhones]().isPartial)
        let most = [waiting(5000, starts: 9999, .noApp), waiting(4999, starts: 0, .noKey)]
        #expect(!most.isPartial)
        #expect((most + [waiting(1, starts: 0, .keyRefused)]).isPartial)
        #expect((most + [waiting(0, starts: 1, .keyRefused)]).isPartial)
    }
}

/// The store writes these words into columns, and the API into its answers.
struct `Words that are stored` {
    @Test func `of cards stay as they are`() {
        #expect(
            Closing.allCases.map(\.rawValue) == [
                "dismissed", "ended", "replaced", "removed", "broadcast",
            ])
        #expect(CardReport.allCases.map(\.rawValue) == ["active", "stale", "ended", "dismissed"])
        #expect(
            StartState.allCases.map(\.rawValue) == [
                "waiting", "held", "trying", "started", "refused", "unknown", "needless",
            ])
    }

    @Test func `of apps, channels and webhooks stay as they are`() {
        #expect(
            AppSuspension.allCases.map(\.rawValue) == [
                "no-app", "no-key", "key-sealed", "key-refused", "clock-wrong", "tokens-unfit",
            ])
        #expect(
            Channel.State.allCases.map(\.rawValue) == [
                "wanted", "creating", "open", "lost", "deleted", "withdrawn",
            ])
        #expect(Channel.Storage.allCases.map(\.rawValue) == ["none", "newest"])
        #expect(Webhook.Stop.allCases.map(\.rawValue) == ["owner", "gone", "failing"])
    }

    @Test func `of decisions stay as they are`() {
        #expect(Verdict.allCases.map(\.rawValue) == ["alert", "timely", "quiet", "hold", "end"])
        #expect(Significance.allCases.map(\.rawValue) == ["none", "ambient", "timely", "alert"])
        #expect(Silence.allCases.map(\.rawValue) == ["late", "quietHours", "untold"])
        #expect(
            PushOrder.Step.allCases.map(\.rawValue) == ["asWanted", "lowered", "merged", "held"])
        #expect(PhoneTier.allCases.map(\.rawValue) == ["standard", "frequent"])
        #expect(Phase.allCases.map(\.rawValue) == ["scheduled", "live", "ended"])
    }

    @Test func `of the clock belong to the clock alone`() {
        for event in ActivityClock.Event.allCases {
            #expect(ActivityClock.schema(of: event.type)?.type == event.type)
            #expect(ActivityClock.schema(of: event.type)?.fields.isEmpty == true)
        }
        let others = [
            "", "ActivityClock", "ActivityClock.", "ActivityClock.Struck",
            "activityclock.WentStale",
            "ActivityClock.WentStale ", "PizzaDelivery.OrderPlaced",
        ]
        #expect(others.allSatisfy { ActivityClock.schema(of: $0) == nil })
    }
}
