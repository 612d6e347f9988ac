import API
import AppKeys
import DatabaseAccess
import Delivery
import DeliveryRules
import Domain
import EventLoop
import EventStore
import Pipeline
import TLS
import Terminal

/// What a node does beside answering HTTP, and what it answers with.
extension Server {
    /// Projects and sends until the task is cancelled.
    static func work(
        _ parts: Parts, _ lagWatch: LagWatch, _ storage: StorageWatch,
        _ registrations: RegistrationWatch, _ health: HealthWatch, _ fleet: FleetWatch?, log: Log
    ) async {
        let (database, store) = (parts.database, parts.database.store)
        let rules = GiveUpOptions.rules(parts.arguments)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await database.keepServerAlive(log: log) }
            group.addTask { await database.watchHosts() }
            group.addTask { await lagWatch.run() }
            group.addTask { await health.run() }
            group.addTask { await storage.run() }
            group.addTask { await registrations.run() }
            if let fleet { group.addTask { await fleet.run() } }
            let series = SeriesWriter(store: store, counter: parts.series, now: WallClock.now) {
                log.stopped("writing figures", $0)
            }
            group.addTask { await series.run() }
            if let tracer = parts.tracer {
                group.addTask { await tracer.run(store, log: log) }
            }
            group.addTask { await SessionWatch(store: store) { $0.write(to: log) }.run() }
            if parts.does(.projector) {
                let projector = Projector(store: store) { error in
                    log.stopped("folding", error)
                }
                group.addTask { await projector.run() }
                let rebuilder = Rebuilder(store: store) { $0.write(to: log) }
                group.addTask { await rebuilder.run() }
                let sweeper = Sweeper(
                    store.retention, days: KeepOptions.days(parts.arguments), now: store.time
                ) { $0.write(to: log) }
                group.addTask { await sweeper.run() }
                let clock = ClockRunner(store: store, now: store.time) { error in
                    log.stopped("the clock", error)
                }
                group.addTask { await clock.run() }
            }
            if parts.does(.sender), let router = parts.router {
                group.addTask { await router.run() }
                let random = Lock(BufferedRandom())
                let (meters, tracer) = (parts.meters, parts.tracer)
                let sender = Sender(
                    store: store, transport: router.transport, broadcasts: router.broadcasts,
                    rules: rules, makePushID: { random.withLock { $0.uuid() } },
                    measure: { measure in
                        meters.pushes.withLock { $0.note(measure) }
                        tracer?.note(measure)
                    },
                    report: { diagnostic in
                        meters.note(diagnostic)
                        diagnostic.write(to: log)
                    })
                group.addTask { await sender.run() }
            }
            if parts.does(.sender), let webhooks = parts.webhooks {
                let sender = webhooks.sender(
                    store, rules.webhooks, parts.tracer, log: log)
                group.addTask { await sender.run() }
            }
        }
    }

    static func environment(
        _ parts: Parts, _ storage: StorageWatch, _ registrations: RegistrationWatch,
        _ cors: CORSPolicy, log: Log
    ) -> APIEnvironment {
        let node = parts.node
        var environment = APIEnvironment(
            now: WallClock.now, version: Version.current, healthChecks: parts.checks,
            limits: LimitOptions.limits(parts.arguments), log: parts.logStatus,
            webhooks: parts.webhooks?.setup, usage: storage.usage,
            report: { error, doing in
                var fields = ["doing": doing, "why": Database.explanation(of: error)]
                fields["request"] = RequestID.current
                log.rarely(.error, "request failed", fields, key: "\(doing) \(error.name)")
            })
        environment.mayRegister = registrations.admit
        // Where nothing is sent, nobody follows the keys.
        if parts.does(.sender), let router = parts.router {
            environment.hasKey = { router.hasKey(for: $0) }
        }
        environment.cors = cors
        environment.liveChecks = [LoopCheck.check(parts.loops)]
        environment.hasStoreWorked = { node.hasStoreWorked }
        return environment
    }
}
