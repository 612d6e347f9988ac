import APNs
import Delivery
import Domain
import HTTP
import Simulator

/// A node's connection to APNs, and the next one when that is lost or told to go away.
// @unchecked: everything is touched on the virtual thread only.
final class Wire: @unchecked Sendable {
    weak var node: SimulatedNode?
    var session = 0
    /// The connection that pushes go by now.
    private var connection = 0
    private var lost: Set<Int> = []
    private var tokenIssuedAt: Int64?
    /// By connection, the provider token that it shows.
    private var shown: [UInt64: ShownToken] = [:]
    let simulation: Simulation

    init(_ simulation: Simulation) { self.simulation = simulation }

    var transport: PushTransport {
        PushTransport { app, request in await self.push(request, app.app.environment) }
    }

    private var thread: VirtualThread { simulation.thread }

    private func push(
        _ request: APNsRequest, _ environment: APNsEnvironment
    ) async -> PushResult {
        let weather = simulation.weather
        let mine = connection
        // What a client has not sent in time, it does not send any more.
        let waitedSeconds = await node?.standstill.pass() ?? 0
        guard waitedSeconds < Standstill.pushDeadlineSeconds,
            waitedSeconds == 0 || node?.isAlive == true
        else { return .lost(wasSent: false) }
        let push = SentPush(request, session: session, at: thread.now)
        if waitedSeconds == 0, node?.standstill.mustKnowLost(push.timestamp) == true {
            simulation.find("a node went on pushing under a claim that it must know to be lost")
        }
        await travel()
        if simulation.refusesStreams(on: number(of: mine)) { return .lost(wasSent: false) }
        // What a dying process has handed to the network may go out or not.
        if node?.isAlive != true, thread.chance(oneIn: 2) { return .lost(wasSent: false) }
        if thread.chance(oneIn: weather.connectionFails) { return .lost(wasSent: false) }
        // Of one that was lost meanwhile nobody knows.
        if lost.contains(mine), thread.chance(oneIn: 2) { return .lost(wasSent: true) }
        let answer = arrive(request, environment, by: mine)
        node?.standstill.reached(.answer)
        await travel()
        await node?.standstill.pass()
        if thread.chance(oneIn: weather.pushAnswerLost) { lose(mine) }
        if lost.contains(mine) { return .lost(wasSent: true) }
        if thread.chance(oneIn: weather.goAway) { goAway() }
        return .answered(answer)
    }

    private func lose(_ connection: Int) {
        lost.insert(connection)
        if connection == self.connection { self.connection += 1 }
    }

    /// What is under way arrives and is answered; what comes later than that is not.
    private func goAway() {
        simulation.close(number(of: connection), within: Weather.pushSecondsMost)
        if simulation.mutation != .ignoredGoAway { connection += 1 }
    }

    func number(of connection: Int) -> UInt64 {
        UInt64(session) << 44 | UInt64(connection) << 24
    }

    func travel() async {
        await thread.sleep(thread.seconds(0.01...simulation.weather.pushSecondsMax))
    }

    /// The push is at APNs, and if it is accepted and the phone is there, on the phone.
    private func arrive(
        _ request: APNsRequest, _ environment: APNsEnvironment, by connection: Int
    ) -> PushResponse {
        var push = SentPush(request, session: session, at: thread.now)
        var reason: APNsRefusal?
        if environment != simulation.world.apns.configuration.environment
            || thread.chance(oneIn: simulation.weather.unknownToken)
        {
            reason = .badDeviceToken
        } else if thread.chance(oneIn: simulation.weather.busy) {
            reason = thread.pick([
                .tooManyRequests, .internalServerError, .serviceUnavailable, .shutdown,
            ])
        }
        let (answer, effects) = simulation.world.receive(
            http(request, by: connection), refusedFor: reason, now: thread.now)
        push.refusal = answer.refusal
        push.isExpected = reason == answer.refusal
        var events: [PhoneEvent] = []
        for case .observed(let event) in effects { events.append(event) }
        simulation.received(push, events)
        return PushResponse(
            status: answer.status, reason: answer.refusal.map { Reason($0.rawValue) },
            timestampMilliseconds: answer.deadSince.map { $0.microseconds / 1000 })
    }

    private func http(_ request: APNsRequest, by connection: Int) -> Request {
        let (token, connectionID) = provide(number(of: connection))
        var headers = Headers()
        for header in request.headers { headers.append(header.name, header.value) }
        headers.append("authorization", token)
        return Request(
            method: "POST", target: request.path, headers: headers, body: request.body,
            connectionID: connectionID)
    }

    /// As the client does: a provider token for 50 minutes, and another connection for the next one
    /// if the one before has been shown for less than 21.
    func provide(_ connection: UInt64) -> (authorization: String, connectionID: UInt64) {
        let now = thread.now.unixSeconds
        var issuedAt = tokenIssuedAt ?? now
        if now - issuedAt >= 50 * 60 { issuedAt = now }
        tokenIssuedAt = issuedAt
        var token = shown[connection] ?? ShownToken(issuedAt: issuedAt, since: now)
        if token.issuedAt != issuedAt {
            if now - token.since < 21 * 60 { token.connectionsLeft += 1 }
            (token.issuedAt, token.since) = (issuedAt, now)
        }
        shown[connection] = token
        return (
            "bearer " + Simulation.providerToken(issuedAt: issuedAt),
            connection | token.connectionsLeft
        )
    }
}

private struct ShownToken {
    var issuedAt: Int64
    var since: Int64
    /// How many times another connection had to take the place of the one before.
    var connectionsLeft: UInt64 = 0
}

extension PushResult {
    fileprivate static func lost(wasSent: Bool) -> PushResult {
        .notAnswered(
            reason: wasSent ? "the connection closed" : "no connection",
            mayHaveBeenDelivered: wasSent)
    }
}
