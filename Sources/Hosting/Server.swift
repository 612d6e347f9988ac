import API
import Delivery
import Domain
import EventLoop
import EventStore
import Foundation
import Glibc
import HTTP
import Pipeline
import PushDispatch
import TLS

/// The composition root of `islet serve`.
enum Server {
    /// How long requests under way may take when the server stops.
    private static let drainTime = Duration.seconds(10)

    /// What one node does; nodes with different roles share one Postgres.
    enum Role: String, CaseIterable {
        /// Answers HTTP. Every node does this much for its `/readyz`.
        case api
        /// Folds and decides.
        case projector
        /// Delivers.
        case sender
    }

    private enum Ending {
        case stopped
        /// It is held, or not any more, or was restored: what is in memory is of another log.
        case otherLog
    }

    /// What is open before anybody is let in.
    private struct Parts {
        let arguments: Arguments
        let node: NodeHealth
        let loop: EventLoop
        /// That one among them.
        let loops: [EventLoop]
        let apns: APNsSetup?
        let router: AppRouter?
        let webhooks: WebhookService?
        let database: Database
        let identity: IdentityWatch
        let standing: LogStanding

        /// While the log is held a node answers for itself, and nothing else.
        func does(_ role: Role) -> Bool { standing.hold == nil && node.roles.contains(role) }
    }

    /// - Parameter name: of the node.
    static func run(
        _ arguments: Arguments, node name: String, log: Log
    ) async throws(CommandFailure) {
        let given = arguments.texts("role").compactMap(Role.init)
        let roles = Set(given.isEmpty ? Role.allCases : given)
        let node = NodeHealth(roles: roles.union([.api]))
        let reloading = Lock<Reloading?>(nil)
        let stop = StopSignals(
            Signals.stream([SIGTERM, SIGINT, SIGHUP]), log: log, onStop: { node.drain() },
            reload: { await reloading.withLock { $0 }?.run(log: log) })
        // Before anything is opened, and before any server of ours is started.
        let (serverLimits, plan) = try FrontDoor.limits(
            arguments, bodyBytesMax: LimitOptions.limits(arguments).bodyBytesMax,
            descriptorsMax: DescriptorPlan.raiseLimit())
        let (proxies, cors) = (try FrontDoor.proxies(arguments), try FrontDoor.cors(arguments))
        FrontDoor.report(plan, serverLimits, to: log)
        let memory = LogMemory()
        var port = arguments.integer("port") ?? 0
        var ending: Ending
        repeat {
            let parts = try await open(arguments, name, node, memory, log: log)
            reloading.withLock { $0 = .all(arguments, parts.database, parts.router) }
            ending = try await serve(
                parts, &port, serverLimits, proxies, cors, until: stop, log: log)
            if ending == .otherLog { log(.warning, "the log is another one: starting anew") }
        } while ending == .otherLog
    }

    private static func open(
        _ arguments: Arguments, _ name: String, _ node: NodeHealth, _ memory: LogMemory, log: Log
    ) async throws(CommandFailure) -> Parts {
        let roles = node.roles
        let loop = EventLoop(name: "main")
        let pushLoop = EventLoop(name: "apns")
        let apns = try APNsSetup.make(arguments, loop: pushLoop, log: log)
        let webhooks = try WebhookService.make(arguments, apns?.masterKeys)
        // What is sent and what is recorded and folded, each on a thread of its own: either can
        // keep one busy.
        let deliveryLoop = roles.contains(.sender) ? EventLoop(name: "delivery") : nil
        let database = try await Database.open(
            arguments, node: name, on: loop, deliveringOn: deliveryLoop, remembering: memory,
            schema: .create, log: log
        ).noting(in: node.store)
        let identity = IdentityWatch(store: database.store, memory: memory) {
            LogReport.write($0, to: log)
        }
        let router = apns.map { setup in
            AppRouter(setup, store: database.store, now: WallClock.now) { $0.write(to: log) }
        }
        do throws(CommandFailure) {
            let standing = try await standingAtStart(identity, database, log)
            if roles.contains(.sender) { try await refuseKeysWithoutMaster(router, database.store) }
            return Parts(
                arguments: arguments, node: node, loop: loop,
                loops: [loop, pushLoop, deliveryLoop].compactMap(\.self), apns: apns,
                router: router, webhooks: webhooks, database: database, identity: identity,
                standing: standing)
        } catch {
            await database.close()
            throw error
        }
    }

    private static func serve(
        _ parts: Parts, _ port: inout Int, _ serverLimits: ServerLimits,
        _ proxies: [AddressRange], _ cors: CORSPolicy, until stop: StopSignals, log: Log
    ) async throws(CommandFailure) -> Ending {
        let (arguments, database) = (parts.arguments, parts.database)
        let lagWatch = LagWatch(
            store: database.store, secondsMax: Double(arguments.integer("lag-seconds-max") ?? 30),
            now: WallClock.now
        ) { LagReport.write($0, to: log) }
        let storage = storageWatch(database.store, log)
        let health = HealthWatch(
            store: database.store, health: parts.node.store, calls: parts.node.calls
        ) { NodeHealth.write($0, to: log) }
        // Before anybody asks whether the node is ready.
        await health.look()
        let service = API.service(
            store: database.store, environment: environment(parts, storage, cors, log: log))
        let requests = RequestCounts()
        let http = HTTP1Server(
            loop: parts.loop, host: arguments.text("host") ?? "", port: port,
            limits: serverLimits, rejection: API.rejection, streamsBody: API.streamsBody,
            admission: service.admission, trustedProxies: proxies,
            onShortage: { FrontDoor.report(isShort: $0, to: log) },
            handler: requests.counting(service.handler))
        let metrics = MetricsListener(
            arguments, on: parts.loop,
            NodeMetrics(
                health: parts.node, lag: lagWatch, requests: requests, record: database.record,
                takeOvers: database.store.deliveries.takeOvers, probes: service.handler))
        do throws(CommandFailure) {
            try await metrics.start(log: log)
            port = try await listen(http, parts, log)
        } catch {
            await database.close()
            throw error
        }
        let ending = await until(stop, http, parts, log) {
            await work(parts, lagWatch, storage, health, log: log)
        }
        if ending == .otherLog { await http.drain(within: .seconds(1)) }
        await metrics.close()
        await parts.router?.close()
        await parts.webhooks?.close()
        await database.close()
        log(.info, "stopped")
        return ending
    }

    /// - Throws: when something in the database is ahead of its log.
    private static func standingAtStart(
        _ identity: IdentityWatch, _ database: Database, _ log: Log
    ) async throws(CommandFailure) -> LogStanding {
        let standing: LogStanding
        let faults: [LogFault]
        do throws(EventStoreError) {
            standing = try await identity.standing()
            faults = try await database.store.identity.faults()
        } catch { throw .failed(Database.explanation(of: error)) }
        try LogReport.refuse(faults)
        LogReport.write(standing, to: log)
        return standing
    }

    /// Works until the node was told to stop and nobody is connected any more, or the log is
    /// another one.
    private static func until(
        _ stop: StopSignals, _ http: HTTP1Server, _ parts: Parts, _ log: Log,
        _ work: @escaping @Sendable () async -> Void
    ) async -> Ending {
        await withTaskGroup(of: Ending?.self) { group in
            group.addTask {
                await work()
                return nil
            }
            group.addTask {
                await end(stop, http, parts.arguments, log)
                return .stopped
            }
            group.addTask {
                await parts.identity.wait(whileLogIs: parts.standing)
                return .otherLog
            }
            var ending: Ending?
            while ending == nil, let next = await group.next() { ending = next }
            group.cancelAll()
            return ending ?? .stopped
        }
    }

    /// Returns when the node was told to stop and nobody is connected any more.
    private static func end(
        _ stop: StopSignals, _ http: HTTP1Server, _ arguments: Arguments, _ log: Log
    ) async {
        await stop.first()
        guard !Task.isCancelled else { return }
        let delay = arguments.integer(StopSignals.drainDelay.name) ?? 0
        log(.info, "stopping", delay > 0 ? ["drainDelaySeconds": "\(delay)"] : [:])
        if delay > 0 { try? await Task.sleep(for: .seconds(delay)) }
        await http.drain(within: drainTime)
    }

    /// - Returns: the port.
    private static func listen(
        _ http: HTTP1Server, _ parts: Parts, _ log: Log
    ) async throws(CommandFailure) -> Int {
        let (arguments, apns) = (parts.arguments, parts.apns)
        let port: Int
        do { port = try await http.start() } catch {
            throw .failed("cannot listen on port \(arguments.text("port") ?? ""): \(error)")
        }
        if parts.node.roles.contains(.sender), apns == nil {
            log(
                .warning,
                "neither --master-key-file nor --apns-key-file: decisions are recorded, "
                    + "nothing is delivered")
        }
        if let apns, !apns.canBroadcast {
            log(.info, "no --apns-channels-url beside --apns-url: nothing is broadcast")
        }
        log(.info, "listening", ["url": "http://\(arguments.text("host") ?? ""):\(port)"])
        return port
    }

    private static func storageWatch(_ store: EventStore, _ log: Log) -> StorageWatch {
        StorageWatch(store: store) { error in
            log(
                .error, "looking at what logs take up stopped for now",
                ["why": Database.explanation(of: error)])
        }
    }

    /// A server that could send with no app's key should not look as if it did.
    private static func refuseKeysWithoutMaster(
        _ router: AppRouter?, _ store: EventStore
    ) async throws(CommandFailure) {
        if let router { return try await router.start() }
        let records: [AppKeyRecord]
        do { records = try await store.apps.keys() } catch {
            throw .failed(Database.explanation(of: error))
        }
        if let first = records.first { throw MasterKeys.missing(for: first) }
    }

    /// Projects and sends until the task is cancelled.
    private static func work(
        _ parts: Parts, _ lagWatch: LagWatch, _ storage: StorageWatch, _ health: HealthWatch,
        log: Log
    ) async {
        let (database, store) = (parts.database, parts.database.store)
        let rules = GiveUpOptions.rules(parts.arguments)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await database.keepServerAlive(log: log) }
            group.addTask { await lagWatch.run() }
            group.addTask { await health.run() }
            group.addTask { await storage.run() }
            group.addTask { await SessionWatch(store: store) { $0.write(to: log) }.run() }
            if parts.does(.projector) {
                let projector = Projector(store: store) { error in
                    log(.error, "folding stopped for now", ["why": Database.explanation(of: error)])
                }
                group.addTask { await projector.run() }
                let rebuilder = Rebuilder(store: store) { $0.write(to: log) }
                group.addTask { await rebuilder.run() }
                let clock = ClockRunner(store: store, now: WallClock.now) { error in
                    log(
                        .error, "the clock stopped for now",
                        ["why": Database.explanation(of: error)])
                }
                group.addTask { await clock.run() }
            }
            if parts.does(.sender), let router = parts.router {
                group.addTask { await router.run() }
                let random = Lock(BufferedRandom())
                let sender = Sender(
                    store: store, transport: router.transport, broadcasts: router.broadcasts,
                    rules: rules, makePushID: { random.withLock { $0.uuid() } },
                    report: { $0.write(to: log) })
                group.addTask { await sender.run() }
            }
            if parts.does(.sender), let webhooks = parts.webhooks {
                let sender = webhooks.sender(store, rules.webhooks, log: log)
                group.addTask { await sender.run() }
            }
        }
    }

    private static func environment(
        _ parts: Parts, _ storage: StorageWatch, _ cors: CORSPolicy, log: Log
    ) -> APIEnvironment {
        let node = parts.node
        var environment = APIEnvironment(
            now: WallClock.now, sha256: SHA256.hash, seal: TicketSealing.live,
            version: Version.current,
            healthChecks: node.checks + [LogReport.check(parts.standing)],
            limits: LimitOptions.limits(parts.arguments), log: parts.standing,
            webhooks: parts.webhooks?.setup, usage: storage.usage,
            report: { error, doing in
                var fields = ["doing": doing, "why": Database.explanation(of: error)]
                fields["request"] = RequestID.current
                log(.error, "request failed", fields)
            })
        environment.cors = cors
        environment.liveChecks = [LoopCheck.check(parts.loops)]
        environment.hasStoreWorked = { node.store.hasWorked(withinSeconds: 5) }
        return environment
    }
}
