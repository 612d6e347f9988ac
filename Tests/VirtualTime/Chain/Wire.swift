import APNs
import APNsClient
import Delivery
import Domain
import HTTP
import Simulator

/// A node's connection to APNs.
// @unchecked: everything is touched on the virtual thread only.
final class Wire: @unchecked Sendable {
    weak var node: SimulatedNode?
    var session = 0
    private let simulation: Simulation

    init(_ simulation: Simulation) { self.simulation = simulation }

    var transport: PushTransport {
        PushTransport { app, request in await self.push(request, app.app.environment) }
    }

    private var thread: VirtualThread { simulation.thread }

    private func push(
        _ request: PushRequest, _ environment: APNsEnvironment
    ) async -> PushResult {
        let weather = simulation.weather
        await travel()
        // What a dying process has handed to the network may go out or not.
        if node?.isAlive != true, thread.chance(oneIn: 2) { return .lost(wasSent: false) }
        if thread.chance(oneIn: weather.connectionFails) { return .lost(wasSent: false) }
        let answer = arrive(request, environment)
        await travel()
        if thread.chance(oneIn: weather.pushAnswerLost) { return .lost(wasSent: true) }
        return .answered(answer)
    }

    private func travel() async {
        await thread.sleep(thread.seconds(0.01...simulation.weather.pushSecondsMax))
    }

    /// The push is at APNs, and if it is accepted and the phone is there, on the phone.
    private func arrive(_ request: PushRequest, _ environment: APNsEnvironment) -> PushResponse {
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
        if let reason { simulation.world.refuseNext(1, reason) }
        let (answer, effects) = simulation.world.receive(http(request), now: thread.now)
        push.refusal = answer.refusal
        push.isExpected = reason == answer.refusal
        var events: [PhoneEvent] = []
        for case .observed(let event) in effects { events.append(event) }
        simulation.received(push, events)
        return PushResponse(
            status: answer.status, apnsID: answer.apnsID,
            reason: answer.refusal.map { Reason($0.rawValue) },
            timestampMilliseconds: answer.deadSince.map { $0.microseconds / 1000 })
    }

    /// With a provider token that is made anew every half hour, each on a connection of its own.
    private func http(_ request: PushRequest) -> Request {
        let period = thread.now.unixSeconds / 1800
        var headers = Headers()
        for header in request.headers { headers.append(header.name, header.value) }
        headers.append(
            "authorization", "bearer " + Simulation.providerToken(issuedAt: period * 1800))
        return Request(
            method: "POST", target: request.path, headers: headers, body: request.body,
            connectionID: UInt64(session) << 32 | UInt64(period))
    }
}

extension PushResult {
    fileprivate static func lost(wasSent: Bool) -> PushResult {
        .notAnswered(
            reason: wasSent ? "the connection closed" : "no connection",
            mayHaveBeenDelivered: wasSent)
    }
}
