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

    @Test func `were behind a version that a later push brought`() {
        let behind = PhonesBehind([
            .init(after: 3, through: 7): 5, .init(after: 5, through: 9): 10,
            .init(after: 0, through: 4): 100,
        ])
        let counts = [0, 1, 4, 5, 6, 7, 8, 9, 10, Int64.max].map { behind.count(brought: $0) }
        #expect(counts == [0, 100, 105, 5, 15, 15, 10, 10, 0, 0])
        #expect(PhonesBehind().count(brought: .max) == 0)
    }

    @Test func `were behind in a number that nobody knows once there are too many`() {
        var behind = PhonesBehind([
            .init(after: 1, through: 3): 9000, .init(after: 2, through: 3): 999,
        ])
        #expect(behind.count(brought: 3) == 9999)
        behind.counts[.init(after: 8, through: 9)] = 1
        #expect(behind.count(brought: 3) == nil)
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
        let apps = Array(repeating: waiting(1, starts: 0, .noApp), count: 1_000)
        #expect(apps.isPartial && !Array(apps.dropLast()).isPartial)
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
            PushOrder.Treatment.allCases.map(\.rawValue)
                == ["asWanted", "lowered", "merged", "held"])
        #expect(PhoneTier.allCases.map(\.rawValue) == ["standard", "frequent"])
        #expect(Phase.allCases.map(\.rawValue) == ["scheduled", "live", "ended"])
    }

    @Test func `of the clock belong to the clock alone`() {
        #expect(ActivityClock.schemas.map(\.type) == ActivityClock.Event.allCases.map(\.type))
        #expect(ActivityClock.schemas.allSatisfy { $0.fields.isEmpty })
        let others = [
            "", "ActivityClock", "ActivityClock.", "ActivityClock.Struck",
            "activityclock.WentStale",
            "ActivityClock.WentStale ", "PizzaDelivery.OrderPlaced",
        ]
        #expect(others.allSatisfy { ActivityClock.Event(rawValue: $0) == nil })
    }
}
