import APNs
import DeliveryRules
import Domain
import Foundation
import Projections
import Testing

private let now = Moment(unixSeconds: 1_800_000_000)

private func channel(_ state: Channel.State, attempts: Int = 0) -> Channel {
    Channel(
        id: 1, tenant: TenantID(rawValue: 1), activityID: ActivityID(rawValue: "match-1"),
        app: AppInEnvironment(bundleID: "com.example", environment: .sandbox), state: state,
        channelID: state == .open ? "abc=" : nil, attempts: attempts, wantedAt: now)
}

private func step(
    _ state: Channel.State, _ activity: ChannelActivity, after seconds: Double = 0
) -> ChannelMachine.Step {
    ChannelMachine.step(
        ChannelTask(
            channel: channel(state), activity: activity, takenAt: now.adding(seconds: seconds)))
}

private func answer(
    _ status: Int, _ reason: Reason.Known? = nil, channelID: String? = nil
) -> PushResult {
    .answered(
        PushResponse(status: status, reason: reason.map { .known($0) }, channelID: channelID))
}

private let away = PushResult.notAnswered(reason: "away", mayHaveBeenDelivered: true)

struct `A channel` {
    @Test func `keeps its newest message for eight hours, if it keeps any`() {
        var channel = channel(.open)
        channel.storage = .newest
        #expect(channel.expiration(ofPushAt: 2_000) == 2_000 + 8 * 3_600)
        channel.storage = .none
        #expect(channel.expiration(ofPushAt: 2_000) == 0)
    }

    @Test func `is made for an activity that lives or is still to come, and for no other`() {
        #expect(step(.wanted, .live) == .create)
        #expect(step(.wanted, .unknown) == .create)
        #expect(step(.wanted, .ended(cardGoneAt: now)) == .withdraw)
    }

    @Test func `whose asker died is asked for again`() {
        #expect(step(.creating, .live) == .createAgain)
        #expect(step(.creating, .ended(cardGoneAt: now)) == .withdraw)
    }

    @Test func `outlives the last card by an hour`() {
        let gone = now.adding(seconds: 1_800)
        #expect(step(.open, .live, after: 1_000_000) == .leave)
        #expect(step(.open, .ended(cardGoneAt: gone), after: 5_399) == .leave)
        #expect(step(.open, .ended(cardGoneAt: gone), after: 5_400) == .delete)
    }

    @Test func `that nobody reports anything for is deleted after a month`() {
        #expect(step(.open, .unknown, after: 29 * 86_400) == .leave)
        #expect(step(.open, .unknown, after: 30 * 86_400) == .delete)
    }

    @Test func `that nobody reports anything for is wanted for a month, and then no more`() {
        for (state, asking) in [(.wanted, .create), (.creating, .createAgain)]
            as [(Channel.State, ChannelMachine.Step)]
        {
            #expect(step(state, .unknown, after: 29 * 86_400) == asking)
            #expect(step(state, .unknown, after: 30 * 86_400) == .withdraw)
            #expect(step(state, .live, after: 30 * 86_400) == asking)
        }
    }

    @Test func `of an app without a key waits as one that is refused, and has not failed`() {
        for attempts in [0, 1] {
            let waiting = ChannelMachine.unasked(
                channel(.wanted, attempts: attempts), .noApp, now: now)
            #expect(
                waiting
                    == ChannelChange(
                        .wanted, attempts: 1, retryAt: now.adding(seconds: 600), failure: "no-app"))
        }
    }

    @Test func `that is over stays so`() {
        for state in Channel.State.allCases where !state.isCurrent {
            for activity in [.live, .unknown, .ended(cardGoneAt: now)] as [ChannelActivity] {
                #expect(step(state, activity, after: 1_000_000_000) == .leave, "\(state)")
            }
        }
    }

    @Test func `is open only once APNs has named it`() {
        let asked = channel(.creating, attempts: 1)
        let made = ChannelMachine.created(asked, answer(201, channelID: "abc="), now: now)
        #expect(made == ChannelChange(.open, channelID: "abc="))
        for nameless in [nil, ""] {
            let change = ChannelMachine.created(asked, answer(201, channelID: nameless), now: now)
            #expect(change.state == .wanted)
        }
    }

    @Test func `is wanted on, whatever APNs answers, and asked for ever more seldom`() {
        for reason in Reason.Known.allCases {
            let change = ChannelMachine.created(
                channel(.creating, attempts: 1), answer(400, reason), now: now)
            #expect(change.state == .wanted, "\(reason)")
            #expect(change.retryAt.map { $0 > now } == true, "\(reason)")
            #expect(change.failure == reason.rawValue)
        }
        let waits = (1...12).map { attempts in
            ChannelMachine.created(
                channel(.creating, attempts: attempts), away, now: now
            ).retryAt?.seconds(since: now) ?? 0
        }
        #expect(waits == waits.sorted())
        #expect(waits.last == 300)
        let full = ChannelMachine.created(
            channel(.creating, attempts: 1), answer(400, .cannotCreateChannelConfig), now: now)
        #expect(full.retryAt == now.adding(seconds: 600))
    }

    @Test func `is deleted when APNs says so, and when it was deleted before`() {
        #expect(ChannelMachine.deleted(answer(204)) == ChannelChange(.deleted))
        #expect(
            ChannelMachine.deleted(answer(400, .channelNotRegistered)) == ChannelChange(.deleted))
        #expect(ChannelMachine.deleted(away) == nil)
        #expect(ChannelMachine.deleted(answer(503, .serviceUnavailable)) == nil)
    }

    @Test func `is gone when APNs does not know it or its app may not broadcast, and only then`() {
        let gone: [Reason.Known] = [.channelNotRegistered, .featureNotEnabled]
        for reason in Reason.Known.allCases where !gone.contains(reason) {
            for status in [400, 403, 410] {
                let result = answer(status, reason)
                #expect(ChannelMachine.deleted(result) == nil, "\(reason)")
                let outcome = ChannelMachine.sent(channel(.open), result, version: 7, now: now)
                #expect(!outcome.isLoss, "\(reason)")
            }
        }
    }

    @Test func `is gone with all others of its app once that may not broadcast any more`() {
        let refusal = answer(400, .featureNotEnabled)
        let reason = Reason.Known.featureNotEnabled.rawValue
        #expect(ChannelMachine.deleted(refusal) == ChannelChange(.deleted))
        let outcome = ChannelMachine.sent(channel(.open), refusal, version: 7, now: now)
        #expect(outcome == .allLost(reason: reason))
        #expect(outcome.isLoss)
        let wish = ChannelMachine.wantedAgain(reason, now: now)
        let later = now.adding(seconds: 600)
        #expect(wish == ChannelChange(.wanted, attempts: 1, retryAt: later, failure: reason))
        #expect(!ChannelMachine.isAwaited(channel(.wanted, attempts: wish.attempts), at: now))
    }

    @Test func `is owed the newest state by every broadcast that may yet succeed`() {
        let open = channel(.open, attempts: 2)
        func sent(_ result: PushResult) -> BroadcastResult {
            ChannelMachine.sent(open, result, version: 7, now: now)
        }
        #expect(sent(answer(200)) == .accepted(version: 7))
        #expect(sent(away) == .retry(at: now.adding(seconds: 4), reason: "away"))
        #expect(
            sent(answer(429, .tooManyRequests))
                == .retry(at: now.adding(seconds: 4), reason: "TooManyRequests"))
        #expect(
            sent(answer(403, .invalidProviderToken))
                == .retry(at: now.adding(seconds: 60), reason: "InvalidProviderToken"))
        #expect(
            sent(answer(400, .channelNotRegistered)) == .lost(reason: "ChannelNotRegistered"))
        #expect(
            sent(answer(413, .payloadTooLarge)) == .refused(reason: "PayloadTooLarge"))
    }
}

struct `Waiting for a channel` {
    private func isAwaited(
        _ state: Channel.State, attempts: Int = 0, after seconds: Double = 14
    ) -> Bool {
        ChannelMachine.isAwaited(
            channel(state, attempts: attempts), at: now.adding(seconds: seconds))
    }

    @Test func `is worth it while it is asked for the first time, and not for long`() {
        #expect(isAwaited(.wanted))
        #expect(isAwaited(.creating, attempts: 1))
        #expect(!isAwaited(.wanted, attempts: 1))
        #expect(!isAwaited(.creating, attempts: 2))
        #expect(!isAwaited(.wanted, after: 15))
    }

    @Test func `is for one that is still to be`() {
        for state in Channel.State.allCases where state != .wanted && state != .creating {
            #expect(!isAwaited(state), "\(state)")
        }
    }
}

struct `The choice of a channel` {
    @Test func `is a match's by itself and no other kind's`() {
        #expect(ChannelChoice.followersNeeded(ofKind: "Match", under: .builtIn) == 1_000)
        for kind in ["PizzaDelivery", "CoffeeDelivery", "BikeRide", "Adventure", "Unheard"] {
            #expect(ChannelChoice.followersNeeded(ofKind: kind, under: .builtIn) == nil, "\(kind)")
        }
    }

    @Test(arguments: [("Match", 0, nil), ("Match", 5, 5), ("PizzaDelivery", 20, 20)])
    func `is the tenant's policy's`(kind: String, count: Int, needed: Int?) throws {
        let stored = StoredPolicy(
            kind: kind, version: 1, fromPosition: 1,
            document: Data(#"{"thresholds":{"broadcastFromFollowersCount":\#(count)}}"#.utf8),
            putAt: now)
        let policy = try ActivityCatalog.standard.book([stored]).policy(ofKind: kind, at: 1)
        #expect(ChannelChoice.followersNeeded(ofKind: kind, under: policy) == needed)
    }
}
