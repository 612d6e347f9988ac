import APNs
import Delivery
import DeliveryRules
import Domain
import EventStore
import Explaining
import Foundation
import Pipeline
import Postgres
import TestSupport
import Testing

extension Scene {
    /// What `why` says of the activity.
    fileprivate func why(_ activity: String = Fact.order) async throws -> String {
        let answer = try await Explainer.explain(
            of: StoredActivity(store, tenant, ActivityID(rawValue: activity)))
        guard case .explained(let explanation) = answer else { return "\(answer)" }
        return explanation.sentences.joined(separator: " ")
    }

    /// Sends what is due while the app is not there.
    fileprivate func sendWithoutApp(after seconds: Double = 0) async {
        clock.advance(by: seconds)
        let carrier = transport.transport
        let deferred = PushTransport(
            pushAll: carrier.pushAll, suspension: { _ in AppSuspension.noApp.rawValue })
        await Sender(
            store: store, transport: deferred, broadcasts: channels.transport,
            now: { [clock] in clock.now }, makePushID: { UUID().uuidString.lowercased() },
            report: { _ in }
        ).drain()
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `A card whose facts are missing` {
    @Test func `is started when they are reported, and nobody asks for it until then`() async throws
    {
        let scene = try await Scene()
        try await scene.putToken("phone")
        try await scene.putAudience()
        try await scene.report(.assigned("Ada"))
        #expect(await scene.send().isEmpty)
        try await scene.putToken("late")
        #expect(await scene.sender().drain() == 0, "a round that can start nothing")
        #expect(await scene.send(after: 600).isEmpty)
        #expect(try await scene.audience().awaits == "PizzaDelivery.OrderPlaced")
        let why = try await scene.why()
        #expect(
            why.contains("No push starts a card until PizzaDelivery.OrderPlaced is reported"),
            "\(why)")
        try await scene.report(.placed())
        let pushes = await scene.send(after: 1)
        #expect(pushes.map(\.event) == ["start", "start"])
        #expect(pushes.allSatisfy { $0.text.contains(#""orderNumber":"1042""#) })
        #expect(try await scene.audience().awaits == nil)
        #expect(try await !scene.why().contains("No push starts a card"))
    }

    @Test func `is never started when the activity ends first`() async throws {
        let scene = try await Scene()
        try await scene.putToken("phone")
        try await scene.putAudience()
        try await scene.report(.assigned("Ada"), .delivered())
        #expect(await scene.send().isEmpty)
        let audience = try await scene.audience()
        #expect(audience.isClosed)
        #expect(audience.awaits == nil)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `A card of an activity whose end was reported` {
    @Test func `waits for a correction, and is not started when the end stands`() async throws {
        let scene = try await Scene()
        _ = try await scene.store.policies.put(
            scene.tenant, "PizzaDelivery", nil,
            Data(#"{"thresholds":{"endGraceSeconds":120}}"#.utf8))
        try await scene.putAudience()
        try await scene.report(.placed(), .delivered())
        await scene.send()
        try await scene.putToken("late")
        #expect(await scene.send(after: 1).isEmpty)
        #expect(try await scene.counts() == [.held: 1])
        let order = ActivityID(rawValue: Fact.order)
        let stored = try await scene.store.projections.snapshot(scene.tenant, order)
        let endsAt = try #require(stored?.dueAt)
        let clock = ClockRunner(store: scene.store, now: { .timeOfDay }) {
            Issue.record("the clock failed: \($0)")
        }
        #expect(try await clock.tick(at: endsAt) == 1)
        await Projector(store: scene.store) { Issue.record("folding failed: \($0)") }.drain()
        #expect(await scene.send(after: 120).isEmpty)
        #expect(try await scene.counts() == [.needless: 1])
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `A card of what is only planned, in quiet hours` {
    private static let match = "final"

    /// With hours, counted from now, in which nobody is woken.
    private func put(_ hours: ClosedRange<Double>?, in scene: Scene) async throws {
        func time(_ hours: Double) -> String {
            let moment = Moment.timeOfDay.adding(seconds: hours * 3600)
            return String(moment.rfc3339.dropFirst(11).prefix(5))
        }
        let document = hours.map { hours in
            let (from, to) = (time(hours.lowerBound), time(hours.upperBound))
            return #"{"quietHours":{"from":"\#(from)","to":"\#(to)","timeZone":"UTC"}}"#
        }
        _ = try await scene.store.policies.put(
            scene.tenant, "Match", nil, Data((document ?? "{}").utf8))
    }

    private func heldMatch() async throws -> Scene {
        let scene = try await Scene()
        try await put(-1...1, in: scene)
        try await scene.putToken("phone", kind: "Match")
        try await scene.putAudience(Self.match)
        try await schedule("2099-12-18T15:00:00Z", occurredAt: -60, in: scene)
        await scene.send(after: 1)
        #expect(try await scene.counts(Self.match) == [.held: 1])
        return scene
    }

    /// - Parameter seconds: from now.
    private func schedule(
        _ kickoff: String, occurredAt seconds: Double = 0, in scene: Scene
    ) async throws {
        let data = """
            {"competition":"Cup","homeTeam":"Argentina","awayTeam":"France","homeCode":"ARG",
            "awayCode":"FRA","kickoff":"\(kickoff)","sport":"football"}
            """
        let event = NewEvent(
            id: "scheduled-\(kickoff)", source: "/feed", type: "Match.MatchScheduled",
            activityID: ActivityID(rawValue: Self.match),
            occurredAt: .timeOfDay.adding(seconds: seconds), data: Data(data.utf8))
        let outcomes = try await scene.store.log.append(scene.tenant, [event])
        try #require(outcomes.first?.isAccepted == true)
        await scene.fold()
    }

    @Test func `is started at a kick-off that is moved to before their end`() async throws {
        let scene = try await heldMatch()
        try await schedule(scene.clock.now.adding(seconds: 900).rfc3339, in: scene)
        await scene.send(after: 60)
        #expect(scene.starts.isEmpty)
        #expect(try await scene.counts(Self.match) == [.held: 1])
        await scene.send(after: 900)
        #expect(scene.starts.count == 1)
        #expect(try await scene.counts(Self.match) == [.started: 1])
    }

    @Test(arguments: [nil, -1...(-0.5)] as [ClosedRange<Double>?])
    func `is started once they are removed or shortened, although nothing is reported`(
        hours: ClosedRange<Double>?
    ) async throws {
        let scene = try await heldMatch()
        try await put(hours, in: scene)
        await scene.send(after: 60)
        #expect(scene.starts.count == 1)
        #expect(try await scene.counts(Self.match) == [.started: 1])
    }

    @Test func `is started at their new end once they end sooner`() async throws {
        let scene = try await heldMatch()
        try await put(-1...0.25, in: scene)
        await scene.send(after: 60)
        #expect(scene.starts.isEmpty)
        await scene.send(after: 900)
        #expect(scene.starts.count == 1)
        #expect(try await scene.counts(Self.match) == [.started: 1])
    }

    @Test func `waits on while they last`() async throws {
        let scene = try await heldMatch()
        try await put(-1...2, in: scene)
        await scene.send(after: 60)
        #expect(scene.starts.isEmpty)
        #expect(try await scene.counts(Self.match) == [.held: 1])
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `A card whose app nobody knows` {
    @Test func `is counted apart, with what to do, and started once the app is known`() async throws
    {
        let scene = try await Scene()
        try await scene.putToken("phone")
        try await scene.putAudience()
        try await scene.report(.placed())
        await scene.sendWithoutApp()
        #expect(scene.starts.isEmpty)
        let app = TenantApp(
            tenant: scene.tenant, bundleID: "com.example.pizza", environment: .sandbox)
        let deferred = [DeferredPhones(app: app, suspension: .noApp, count: 0, starts: 1)]
        #expect(try await scene.audience().deferred == deferred)
        #expect(try await scene.store.apps.deferred() == deferred)
        let overview = try await scene.store.reads.overview(
            scene.tenant, Moment(unixSeconds: 0), scene.clock.now)
        #expect(overview.deferred == deferred)
        let why = try await scene.why()
        let said =
            "The card is not started on 1 phone, since the app "
            + "com.example.pizza is not there: add it with islet apps add."
        #expect(why.contains(said), "\(why)")
        #expect(!why.contains("still to be sent one"))
        try await scene.store.apps.release(app)
        #expect(try await scene.store.apps.deferred() == [])
        #expect(await scene.send(after: 1).map(\.event) == ["start"])
        #expect(try await scene.audience().deferred == [])
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `An explanation of what APNs did not take at first` {
    @Test func `says that a later push brought it`() async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed())
        scene.transport.answer { _ in .answered(PushResponse(status: 503)) }
        await scene.send()
        let before = try await scene.why()
        #expect(before.contains("APNs accepted it for 0 of 1 phone, and not for 1"), "\(before)")
        #expect(!before.contains("A later push"))
        scene.transport.answer { _ in .accepted }
        await scene.send(after: 60)
        let after = try await scene.why()
        #expect(after.contains("A later push brought it to that one."), "\(after)")
        // What comes in time later is not what it missed.
        try await scene.report(.assigned("Ada"))
        await scene.send(after: 120)
        let behind = try await scene.store.registrations.behind(
            scene.tenant, ActivityID(rawValue: Fact.order))
        #expect(behind.counts == [.init(after: 0, through: 1): 1])
    }

    @Test func `says so of a phone whose token rotated before that push`() async throws {
        let scene = try await Scene()
        let old = try await scene.register("phone")
        try await scene.report(.placed())
        scene.transport.answer { _ in .answered(PushResponse(status: 503)) }
        await scene.send()
        let new = try #require(PushToken(hex: Scene.tokenHex("rotated")))
        _ = try await scene.store.registrations.change(
            scene.tenant, ActivityID(rawValue: Fact.order), .rotate(from: old, to: new),
            CardMachine.handle)
        #expect(try await !scene.why().contains("A later push"))
        scene.transport.answer { _ in .accepted }
        await scene.send(after: 60)
        let after = try await scene.why()
        #expect(after.contains("A later push brought it to that one."), "\(after)")
    }

    @Test func `says so of a phone that registered again before that push`() async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed())
        scene.transport.answer { _ in .answered(PushResponse(status: 503)) }
        await scene.send()
        try await scene.register("phone")
        #expect(try await !scene.why().contains("A later push"))
        // It fails once more, and the app asks once more.
        await scene.send(after: 60)
        try await scene.register("phone")
        scene.transport.answer { _ in .accepted }
        await scene.send(after: 60)
        let after = try await scene.why()
        #expect(after.contains("A later push brought it to that one."), "\(after)")
        // What it had missed is over, and later registrations have missed nothing.
        try await scene.register("phone")
        await scene.send(after: 60)
        let behind = try await scene.store.registrations.behind(
            scene.tenant, ActivityID(rawValue: Fact.order))
        #expect(behind.counts == [.init(after: 0, through: 1, registeredSince: true): 1])
    }

    @Test func `says nothing of a later push to a phone that came after the change`() async throws {
        let scene = try await Scene()
        try await scene.register("gone")
        try await scene.report(.placed())
        scene.transport.answer { _ in .answered(PushResponse(status: 503)) }
        await scene.send()
        _ = try await scene.database.pool.query("DELETE FROM registration")
        try await scene.register("late")
        await scene.send(after: 60)
        scene.transport.answer { _ in .accepted }
        await scene.send(after: 120)
        let why = try await scene.why()
        #expect(why.contains("APNs accepted it for 0 of 1 phone, and not for 1"), "\(why)")
        #expect(!why.contains("A later push"), "\(why)")
    }

    @Test func `says nothing of a later push to a card that is no longer kept`() async throws {
        let scene = try await Scene()
        try await scene.register("phone")
        try await scene.report(.placed())
        scene.transport.answer { _ in .answered(PushResponse(status: 503)) }
        await scene.send()
        _ = try await scene.database.pool.query("DELETE FROM registration")
        let why = try await scene.why()
        #expect(why.contains("APNs accepted it for 0 of 1 phone, and not for 1"), "\(why)")
        #expect(!why.contains("A later push"), "\(why)")
    }
}
