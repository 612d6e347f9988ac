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

    /// What is open before anybody is let in.
    private struct Parts {
        let arguments: Arguments
        let roles: Set<Role>
        let node: NodeHealth
        let loop: EventLoop
        /// That one among them.
        let loops: [EventLoop]
        let apns: APNsSetup?
        let router: AppRouter?
        let webhooks: WebhookService?
        let database: Database
    }

    static func run(_ arguments: Arguments, log: Log) async throws(CommandFailure) {
        let given = arguments.texts("role").compactMap(Role.init)
        let roles = Set(given.isEmpty ? Role.allCases : given)
        // Before anything is opened, and before any server of ours is started.
        let (serverLimits, plan) = try FrontDoor.limits(
            arguments, bodyBytesMax: LimitOptions.limits(arguments).bodyBytesMax,
            descriptorsMax: DescriptorPlan.raiseLimit())
        let proxies = try FrontDoor.proxies(arguments)
        let node = NodeHealth(roles: roles.union([.api]))
        let reloading = Lock<Reloading?>(nil)
        let stop = StopSignals(
            Signals.stream([SIGTERM, SIGINT, SIGHUP]), log: log, onStop: { node.drain() },
            reload: { await reloading.withLock { $0 }?.run(log: log) })
        let loop = EventLoop(name: "main")
        let pushLoop = EventLoop(name: "apns")
        let apns = try APNsSetup.make(arguments, loop: pushLoop, log: log)
        let webhooks = try WebhookService.make(arguments, apns?.masterKeys)
        // What is sent and what is recorded and folded, each on a thread of its own: either can
        // keep one busy.
        let deliveryLoop = roles.contains(.sender) ? EventLoop(name: "delivery") : nil
        let database = try await Database.open(
            arguments, on: loop, deliveringOn: deliveryLoop, schema: .create, log: log
        ).noting(in: node.store)
        let router = apns.map { setup in
            AppRouter(setup, store: database.store, now: WallClock.now) { $0.write(to: log) }
        }
        if roles.contains(.sender) {
            do { try await refuseKeysWithoutMaster(router, database.store) } catch {
                await database.close()
                throw error
            }
        }
        reloading.withLock { $0 = .all(arguments, database, router) }
        try await serve(
            Parts(
                arguments: arguments, roles: roles, node: node, loop: loop,
                loops: [loop, pushLoop, deliveryLoop].compactMap(\.self), apns: apns,
                router: router, webhooks: webhooks, database: database),
            serverLimits, plan, proxies, until: stop, log: log)
    }

    private static func serve(
        _ parts: Parts, _ serverLimits: ServerLimits, _ plan: DescriptorPlan,
        _ proxies: [AddressRange], until stop: StopSignals, log: Log
    ) async throws(CommandFailure) {
        let (arguments, database, roles) = (parts.arguments, parts.database, parts.roles)
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
            store: database.store, environment: environment(parts, storage, log: log))
        let requests = RequestCounts()
        let http = HTTP1Server(
            loop: parts.loop, host: arguments.text("host") ?? "",
            port: arguments.integer("port") ?? 0, limits: serverLimits, rejection: API.rejection,
            streamsBody: API.streamsBody, admission: service.admission, trustedProxies: proxies,
            onShortage: { FrontDoor.report(isShort: $0, to: log) },
            handler: requests.counting(service.handler))
        FrontDoor.report(plan, serverLimits, to: log)
        let metrics = MetricsListener(
            arguments, on: parts.loop,
            NodeMetrics(
                health: parts.node, lag: lagWatch, requests: requests, probes: service.handler))
        do throws(CommandFailure) {
            try await metrics.start(log: log)
            try await listen(http, parts, log)
        } catch {
            await database.close()
            throw error
        }
        await work(
            database, lagWatch, storage, health, projects: roles.contains(.projector),
            roles.contains(.sender) ? parts.router : nil,
            roles.contains(.sender) ? parts.webhooks : nil, GiveUpOptions.rules(arguments),
            log: log
        ) { await end(stop, http, arguments, log) }
        await metrics.close()
        await parts.router?.close()
        await parts.webhooks?.close()
        await database.close()
        log(.info, "stopped")
    }

    /// Returns when the node was told to stop and nobody is connected any more.
    private static func end(
        _ stop: StopSignals, _ http: HTTP1Server, _ arguments: Arguments, _ log: Log
    ) async {
        await stop.first()
        let delay = arguments.integer(StopSignals.drainDelay.name) ?? 0
        log(.info, "stopping", delay > 0 ? ["drainDelaySeconds": "\(delay)"] : [:])
        if delay > 0 { try? await Task.sleep(for: .seconds(delay)) }
        await http.drain(within: drainTime)
    }

    private static func listen(
        _ http: HTTP1Server, _ parts: Parts, _ log: Log
    ) async throws(CommandFailure) {
        let (arguments, apns) = (parts.arguments, parts.apns)
        let port: Int
        do { port = try await http.start() } catch {
            throw .failed("cannot listen on port \(arguments.text("port") ?? ""): \(error)")
        }
        if parts.roles.contains(.sender), apns == nil {
            log(
                .warning,
                "neither --master-key-file nor --apns-key-file: decisions are recorded, "
                    + "nothing is delivered")
        }
        if let apns, !apns.canBroadcast {
            log(.info, "no --apns-channels-url beside --apns-url: nothing is broadcast")
        }
        log(.info, "listening", ["url": "http://\(arguments.text("host") ?? ""):\(port)"])
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

    /// Projects and sends until `end` returns.
    private static func work(
        _ database: Database, _ lagWatch: LagWatch, _ storage: StorageWatch,
        _ health: HealthWatch, projects: Bool, _ router: AppRouter?, _ webhooks: WebhookService?,
        _ rules: GiveUpRules, log: Log, until end: @Sendable () async -> Void
    ) async {
        let store = database.store
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await database.keepServerAlive(log: log) }
            group.addTask { await lagWatch.run() }
            group.addTask { await health.run() }
            group.addTask { await storage.run() }
            if projects {
                let projector = Projector(store: store) { error in
                    log(.error, "folding stopped for now", ["why": Database.explanation(of: error)])
                }
                group.addTask { await projector.run() }
                let rebuilder = Rebuilder(store: store) { report($0, log) }
                group.addTask { await rebuilder.run() }
                let clock = ClockRunner(store: store, now: WallClock.now) { error in
                    log(
                        .error, "the clock stopped for now",
                        ["why": Database.explanation(of: error)])
                }
                group.addTask { await clock.run() }
            }
            if let router {
                group.addTask { await router.run() }
                let random = Lock(BufferedRandom())
                let sender = Sender(
                    store: store, transport: router.transport, broadcasts: router.broadcasts,
                    rules: rules, makePushID: { random.withLock { $0.uuid() } },
                    report: { report($0, log) })
                group.addTask { await sender.run() }
            }
            if let webhooks {
                let sender = webhooks.sender(store, rules.webhooks, log: log)
                group.addTask { await sender.run() }
            }
            await end()
            group.cancelAll()
        }
    }

    private static func environment(
        _ parts: Parts, _ storage: StorageWatch, log: Log
    ) -> APIEnvironment {
        let node = parts.node
        var environment = APIEnvironment(
            now: WallClock.now, sha256: SHA256.hash, seal: TicketSealing.live,
            version: Version.current, healthChecks: node.checks,
            limits: LimitOptions.limits(parts.arguments), webhooks: parts.webhooks?.setup,
            usage: storage.usage,
            report: { error, doing in
                log(
                    .error, "request failed",
                    ["doing": doing, "why": Database.explanation(of: error)])
            })
        environment.liveChecks = [LoopCheck.check(parts.loops)]
        environment.hasStoreWorked = { node.store.hasWorked(withinSeconds: 5) }
        return environment
    }

    private static func report(_ notice: Rebuilder.Notice, _ log: Log) {
        switch notice {
        case .began(let progress):
            log(
                .info, "rebuilding snapshots",
                ["tenant": progress.tenant.name, "why": progress.reason])
        case .ended(let progress, let outcome):
            log(
                .info, "rebuilding snapshots has ended",
                ["tenant": progress.tenant.name, "outcome": "\(outcome)"])
        case .failed(let error):
            log(
                .error, "rebuilding stopped for now", ["why": Database.explanation(of: error)])
        }
    }

    private static func report(_ notice: Sender.Notice, _ log: Log) {
        switch notice {
        case .store(let error):
            log(.error, "sending stopped for now", ["why": Database.explanation(of: error)])
        case .credentialsRefused(let reason):
            log(
                .error,
                "APNs refuses the key: check --apns-key-file, --apns-key-id and "
                    + "--apns-team-id", ["reason": reason])
        case .tokensUnfit(let count, let reason):
            log(
                .warning, "APNs says push tokens do not fit: check environment and bundle id",
                ["count": "\(count)", "reason": reason])
        case .unanswered(let count, let reason):
            log(.warning, "no answer from APNs", ["count": "\(count)", "reason": reason])
        case .stateTooLarge(let bytes, let phones):
            log(
                .warning, "a state is too large for a push: its phones keep the one before",
                ["bytes": "\(bytes)", "phones": "\(phones)"])
        case .channel(let notice): ChannelReport.write(notice, to: log)
        }
    }
}
