import API
import AppKeys
import Delivery
import PushDispatch
import Terminal

extension WebhookSetup {
    static func live(
        _ options: WebhookOptions, _ masterKeys: MasterKeys, _ transport: WebhookTransport
    ) -> WebhookSetup {
        WebhookSetup(
            complaint: { options.complaint(about: $0) },
            makeID: { WebhookID.make() },
            makeSecret: { masterKeys.makeSecret($0, $1) },
            canSign: { secrets in secrets.allSatisfy { masterKeys.open($0) != nil } },
            test: { webhook, secrets in
                let now = WallClock.now()
                guard let post = WebhookPost(webhook, secrets, transport) else { return nil }
                let answer = await post.send(.test(now: now), now: now)
                return answer ?? .notAnswered(reason: "cancelled")
            })
    }
}
