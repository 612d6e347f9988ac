import Delivery
import EventLoop

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
