import APNs
import Delivery
import Domain
import HTTP
import Simulator

/// Broadcasts and the management of channels, whose connections are others than those of pushes.
extension Wire {
    var broadcasts: BroadcastTransport {
        return { app, request in
            if request.service == .broadcast {
                return await self.exchange(refusals: [.tooManyRequests, .shutdown]) { lot in
                    self.simulation.broadcast(self.http(request, port: 1), for: app, lot)
                }
            }
            return await self.exchange(refusals: [.internalServerError]) { lot in
                self.simulation.world.manage(
                    self.http(request, port: 2), refusedFor: lot, now: self.simulation.thread.now
                ).answer
            }
        }
    }

    private func exchange(
        refusals: [APNsRefusal], _ arrive: (APNsRefusal?) -> APNsAnswer
    ) async -> PushResult {
        let thread = simulation.thread
        let weather = simulation.weather
        let waitedSeconds = await node?.standstill.pass() ?? 0
        if waitedSeconds >= Standstill.pushDeadlineSeconds {
            return .notAnswered(reason: "not sent in time", mayHaveBeenDelivered: false)
        }
        await travel()
        if node?.isAlive != true || thread.chance(oneIn: weather.connectionFails) {
            return .notAnswered(reason: "no connection", mayHaveBeenDelivered: false)
        }
        let answer = arrive(thread.chance(oneIn: weather.busy) ? thread.pick(refusals) : nil)
        await travel()
        await node?.standstill.pass()
        if thread.chance(oneIn: weather.pushAnswerLost) {
            return .notAnswered(reason: "the connection closed", mayHaveBeenDelivered: true)
        }
        return .answered(
            PushResponse(
                status: answer.status, reason: answer.refusal.map { Reason($0.rawValue) },
                channelID: answer.channelID))
    }

    /// - Parameter port: 1 of broadcasts, 2 of management.
    private func http(_ request: APNsRequest, port: UInt64) -> Request {
        let (token, connectionID) = provide(number(of: 0) | port << 22)
        var headers = Headers()
        for header in request.headers { headers.append(header.name, header.value) }
        headers.append("authorization", token)
        return Request(
            method: request.method.rawValue, target: request.path, headers: headers,
            body: request.body, connectionID: connectionID)
    }
}
