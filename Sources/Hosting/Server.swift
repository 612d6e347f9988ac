import API
import AppKeys
import DatabaseAccess
import EventLoop
import EventStore
import Glibc
import HTTP
import Pipeline
import Terminal

/// The composition root of `islet serve`.
public enum Server {
    /// - Parameter name: of the node.
    static func run(
        _ arguments: Arguments, node name: String, log: Log
    ) async throws(CommandFailure) {
        try ThreadPlan.check()
        let given = arguments.texts("role").compactMap(Role.init)
        let roles = Set(given.isEmpty ? Role.allCases : given)
        let node = NodeHealth(roles: roles.union([.api]))
        let reloading = Lock<Reloading?>(nil)
        let stop = StopSignals(
            Signals.stream([SIGTERM, SIGINT, SIGHUP]), log: log, onStop: { node.drain() },
            reload: { await reloading.withLock { $0 }?.run() })
        // Before anything is opened, and before any server of ours is started.
        let door = try FrontDoor.open(arguments, log: log)
        let memory = LogMemory()
        var port = arguments.integer("port") ?? 0
        var ending: Ending
        repeat {
            let opened = try await opened(unless: stop, log) { () async throws(CommandFailure) in
                try await open(arguments, name, node, memory, log: log)
            }
            guard let parts = opened else { return log(.info, "stopped") }
            let present = Reloading(
                arguments, parts.database, parts.router, door.certificate, log: log)
            reloading.withLock { $0 = present }
            ending = try await serve(parts, &port, door, until: stop, log: log)
            if ending == .otherLog {
                log(.warning, "the log is another one: starting again")
                node.store.beginAgain()
            }
        } while ending == .otherLog
    }

    private static func open(
        _ arguments: Arguments, _ name: String, _ node: NodeHealth, _ memory: LogMemory, log: Log
    ) async throws(CommandFailure) -> Parts {
        let roles = node.roles
        let loop = EventLoop(name: "main")
        let pushLoop = EventLoop(name: "apns")
        let meters = NodeMeters()
        let apns = try APNsSetup.make(arguments, loop: pushLoop, log: log, observer: meters)
        let webhooks = try WebhookService.make(arguments, apns?.masterKeys, meters)
        let series = SeriesCounter(now: WallClock.now)
        let tracer = try Tracer.make(arguments, node: name)
        // What is sent and what is recorded and folded, each on a thread of its own: either can
        // keep one busy.
        let deliveryLoop = roles.contains(.sender) ? EventLoop(name: "delivery") : nil
        let database = try await Database.open(
            arguments, node: name, on: loop, deliveringOn: deliveryLoop, remembering: memory,
            schema: .create, log: log
        ).observed(
            by: [node.store, series] + [tracer].compactMap(\.self)
                + (MetricsListener.isWanted(arguments) ? [meters] : []))
        let identity = IdentityWatch(store: database.store, memory: memory) { diagnostic in
            diagnostic.write(to: log)
            diagnostic.note(in: node)
        }
        let router = apns.map { setup in
            AppRouter(setup, store: database.store, now: WallClock.now) { $0.write(to: log) }
        }
        do throws(CommandFailure) {
            let logStatus = try await logStatusAtStart(identity, database, log)
            if roles.contains(.sender) { try await refuseKeysWithoutMaster(router, database.store) }
            return Parts(
                arguments: arguments, node: node, loop: loop,
                loops: [loop, pushLoop, deliveryLoop].compactMap(\.self), router: router,
                webhooks: webhooks, database: database, identity: identity, series: series,
                logStatus: logStatus, meters: meters, tracer: tracer)
        } catch {
            await database.close()
            throw error
        }
    }

    private static func serve(
        _ parts: Parts, _ port: inout Int, _ door: FrontDoor, until stop: StopSignals, log: Log
    ) async throws(CommandFailure) -> Ending {
        let (arguments, database) = (parts.arguments, parts.database)
        let lagWatch = LagWatch(
            store: database.store, secondsMax: Double(arguments.integer("lag-seconds-max") ?? 30),
            now: database.store.time
        ) { $0.write(to: log) }
        let storage = StorageWatch(store: database.store) {
            log.stopped("looking at what logs take up", $0)
        }
        let registrations = RegistrationWatch(
            store: database.store, most: LimitOptions.limits(arguments).storedRegistrationsMax
        ) { log.stopped("counting registrations", $0) }
        let health = HealthWatch(
            store: database.store, health: parts.node.store, calls: parts.node.calls
        ) { $0.write(to: log) }
        // Before anybody asks whether the node is ready.
        await health.look()
        let requests = RequestCounts()
        let service = API.service(
            store: database.store,
            environment: environment(parts, storage, registrations, door.cors, log: log))
        let http = HTTP1Server(
            loop: parts.loop, host: arguments.text("host") ?? "", port: port,
            identity: door.certificate?.identity, socketMode: door.socketMode, limits: door.limits,
            rejection: API.rejection, streamsBody: API.streamsBody,
            endsWithClient: API.endsWithClient, admission: service.admission,
            trustedProxies: door.proxies, observer: requests,
            onShortage: { FrontDoor.report(isShort: $0, to: log) },
            handler: service.handler)
        let fleet = FleetWatch(store: database.store, meters: parts.meters, log: log)
        let metrics: MetricsListener?
        do throws(CommandFailure) {
            metrics = try MetricsListener(
                arguments, on: parts.loop, door,
                NodeMetrics(
                    parts: parts, lag: lagWatch, fleetWatch: fleet, requests: requests,
                    certificate: door.certificate, service: service))
            try await metrics?.start(log: log)
            port = try await listen(http, parts, isSecure: door.certificate != nil, log)
        } catch {
            await database.close()
            throw error
        }
        let ending = await until(stop, http, parts, log) {
            async let watching: Void? = door.certificate?.watch(log: log)
            await work(
                parts, lagWatch, storage, registrations, health, metrics == nil ? nil : fleet,
                log: log)
            await watching
        }
        if ending == .otherLog { await http.drain(within: .seconds(1)) }
        await metrics?.close()
        await parts.router?.close()
        await parts.webhooks?.close()
        await parts.tracer?.close()
        await database.close()
        log(.info, "stopped")
        return ending
    }
}
