import Domain
import EventStore
import Foundation
import Projections
import TestSupport

/// A tenant with some activities, and what it reports of them.
// @unchecked: everything is touched on the virtual thread only.
final class Shop: @unchecked Sendable {
    let tenant: TenantID
    private(set) var activities: [Subject] = []
    private let simulation: Simulation
    private var reported: [NewEvent] = []

    struct Subject {
        var id: ActivityID
        var kind: any ActivityKind.Type
        /// Those of the kind's events that are reported of it, so that some never end, in the order
        /// of an activity's usual course.
        var types: [EventType]
        var isBegun = false
    }

    init(tenant: TenantID, _ simulation: Simulation) {
        self.tenant = tenant
        self.simulation = simulation
        for _ in 0..<(1 + simulation.thread.below(3)) { addActivity() }
    }

    /// Both shops use the same names.
    private func addActivity() {
        let kind = simulation.data.pick(ActivityCatalog.standard.kinds)
        let types = kind.eventTypes
        let count = min(types.count, 3 + simulation.data.below(types.count))
        let isTold = Set(simulation.data.shuffled(Array(types.indices)).prefix(count))
        activities.append(
            Subject(
                id: ActivityID(rawValue: "activity-\(activities.count + 1)"), kind: kind,
                types: types.indices.filter(isTold.contains).map { types[$0] }))
    }

    /// Reports one to three facts, some of them late, some once more.
    func report() {
        let thread = simulation.thread
        if activities.count < 5, thread.chance(oneIn: 25) { addActivity() }
        let place = thread.below(activities.count)
        var events: [NewEvent] = []
        for _ in 0..<(1 + thread.below(3)) { events.append(event(of: place)) }
        if thread.chance(oneIn: 8), let again = reported.last { events.append(again) }
        reported.append(contentsOf: events)
        let isAtomic = thread.chance(oneIn: 2)
        simulation.log(
            "\(tenant.rawValue) reports \(events.map { "\($0.type) of \($0.activityID)" })")
        Task { [self, events] in
            await thread.sleep(thread.seconds(0...1))
            let results = await simulation.insist { (store) async throws(EventStoreError) in
                try await store.log.append(tenant, events, isAtomic: isAtomic)
            }
            check(results ?? [], of: events)
        }
    }

    private func check(_ results: [AppendResult], of events: [NewEvent]) {
        for (event, result) in zip(events, results) {
            switch result {
            case .recorded(let position, _), .alreadyKnown(let position, _):
                let log = simulation.database.look { $0[tenant].events }
                let isThere =
                    log.indices.contains(Int(position) - 1)
                    && log[Int(position) - 1].event.id == event.id
                if !isThere { simulation.find("an event was acknowledged and is not in the log") }
            case .contentConflict, .batchConflict:
                simulation.find("an event that was reported twice was taken for another one")
            case .versionConflict, .notRecorded: break
            }
        }
    }

    /// Nothing is in the log that was not reported.
    func checkLog() {
        let known = Set(reported.map(\.id))
        for recorded in simulation.database.look({ $0[tenant].events })
        where recorded.event.source == source && !known.contains(recorded.event.id) {
            simulation.find("an event is in the log that nobody has reported")
        }
    }

    private var source: String { "/shops/\(tenant.rawValue)" }

    private func event(of index: Int) -> NewEvent {
        let thread = simulation.thread
        let subject = activities[index]
        let first = subject.kind.eventTypes.first
        // The ends are the last, and come seldom.
        let place = min(thread.below(subject.types.count), thread.below(subject.types.count))
        let type = subject.isBegun ? subject.types[place] : first ?? subject.types[place]
        activities[index].isBegun = true
        let now = thread.now
        let lateSeconds =
            switch thread.below(12) {
            case 0: thread.seconds(0...1_500)
            case 1: thread.seconds(0...15_000)
            default: thread.seconds(0...10)
            }
        let version = 1 + simulation.data.below(type.newestVersion)
        let data = simulation.data.object(type.fields(of: version) ?? []) { random in
            now.adding(seconds: Double(random.below(240) - 60) * 60)
        }
        return NewEvent(
            id: "\(reported.count)-\(simulation.makeUUID())", source: source,
            type: type.name, schemaVersion: version, activityID: subject.id,
            occurredAt: now.adding(seconds: -lateSeconds), data: data)
    }

    /// Wants something else from now on.
    func putPolicy() {
        let thread = simulation.thread
        let kind = thread.pick(activities).kind
        var document = PolicyDocument(thresholds: [
            Threshold.budgetTokens.name: Double(3 + thread.below(8)),
            Threshold.coalesceSeconds.name: thread.pick([0, 5, 60]),
            Threshold.restartBeforeLimit.name: thread.pick([0, 0, 3_600]),
        ])
        // How much later than before is worth a word, where a kind says so.
        let delaySteps: [Double] = [300, 600, 1_200, 3_600]
        for name in ["delayStepSeconds", "delayAlertSeconds"]
        where kind.allThresholds.contains(where: { $0.name == name }) {
            document.thresholds?[name] = thread.pick(delaySteps)
        }
        if thread.chance(oneIn: 2) {
            let from = thread.below(24)
            document.quietHours = .init(
                from: Self.hour(from), to: Self.hour((from + 1 + thread.below(8)) % 24),
                timeZone: "Europe/Berlin")
        }
        simulation.log("\(tenant.rawValue) puts a policy of \(kind.name)")
        Task { [self, document] in
            _ = await simulation.insist { (store) async throws(EventStoreError) in
                try await store.policies.put(tenant, kind.name, nil, document.encoded)
            }
        }
    }

    private static func hour(_ number: Int) -> String {
        number < 10 ? "0\(number):00" : "\(number):00"
    }

    /// Wants an activity's card to appear on the phones of those who follow a topic.
    func putAudience() {
        let thread = simulation.thread
        let activity = thread.pick(activities).id
        let topics = [thread.pick(Person.topics)]
        simulation.log("\(tenant.rawValue) wants \(activity) on the phones of \(topics)")
        Task { [self] in
            _ = await simulation.insist { (store) async throws(EventStoreError) in
                try await store.startTokens.putAudience(tenant, activity, topics, nil)
            }
        }
    }
}
