import Delivery
import EventLoop

extension PushTransport {
    /// The same; what is under way and how it ends is counted.
    func metering(in meters: NodeMeters) -> PushTransport {
        PushTransport(
            pushAll: { app, requests in
                meters.pushes.withLock { $0.underWay += requests.count }
                let results = await pushAll(app, requests)
                meters.pushes.withLock { $0.note(results) }
                return results
            }, suspension: suspension)
    }
}

extension BroadcastTransport {
    func metering(in meters: NodeMeters) -> BroadcastTransport {
        BroadcastTransport(
            send: { app, request in
                meters.pushes.withLock { $0.underWay += 1 }
                let result = await send(app, request)
                meters.pushes.withLock { $0.note(result, to: "broadcast") }
                return result
            },
            manage: { app, request in
                meters.pushes.withLock { $0.underWay += 1 }
                let result = await manage(app, request)
                meters.pushes.withLock { $0.note(result, to: "channel") }
                return result
            })
    }
}

extension WebhookTransport {
    func metering(in meters: NodeMeters) -> WebhookTransport {
        var metered = self
        metered.post = { [post] tenant, url, headers, body in
            meters.webhooks.withLock { $0.underWay += 1 }
            let began = ContinuousClock.now
            let answer = await post(tenant, url, headers, body)
            let taken = ContinuousClock.now - began
            meters.webhooks.withLock { $0.note(answer, taken) }
            return answer
        }
        return metered
    }
}
