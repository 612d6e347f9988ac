import Delivery
import DeliveryRules
import Domain
import EventLoop
import EventStore
import Foundation
import StoreTestSupport
import TestSupport
import Testing

/// A tenant with webhooks, whose receivers are one that remembers.
struct Shop {
    let scene: Scene
    let receiver = RecordingReceiver()
    private let noticed = Lock<[WebhookSender.Diagnostic]>([])

    init() async throws { scene = try await Scene() }

    var diagnostics: [WebhookSender.Diagnostic] { noticed.withLock { $0 } }
    var messages: [RecordingReceiver.Message] { receiver.messages }

    @discardableResult
    func add(
        _ id: String = "wh_1", kinds: [String] = [], phases: [Phase] = [],
        masterKeyID: String = "m1"
    ) async throws -> String {
        let webhook = Webhook(
            tenant: scene.tenant, id: id, url: "https://shop.example/\(id)", kinds: kinds,
            phases: phases, createdAt: scene.clock.now)
        let isAdded = try await scene.store.webhooks.add(
            webhook,
            WebhookSecret(
                tenant: scene.tenant, webhookID: id, sealed: Array(id.utf8),
                masterKeyID: masterKeyID))
        #expect(isAdded)
        return id
    }

    func sender(
        _ store: EventStore? = nil, rules: WebhookRules = WebhookRules(),
        lacking: Set<String> = ["lost"]
    ) -> WebhookSender {
        WebhookSender(
            store: store ?? scene.store, transport: receiver.transport(lacking: lacking),
            rules: rules,
            now: { [clock = scene.clock] in clock.now }, makeLease: { UUID().uuidString },
            chance: { 0.5 },
            report: { [noticed] diagnostic in noticed.withLock { $0.append(diagnostic) } })
    }

    /// - Parameter node: nil for one that has just started.
    /// - Returns: the messages that this brought.
    @discardableResult
    func send(
        after seconds: Double = 0, rules: WebhookRules = WebhookRules(),
        by node: WebhookSender? = nil
    ) async -> [RecordingReceiver.Message] {
        scene.clock.advance(by: seconds)
        let before = messages.count
        await (node ?? sender(rules: rules)).drain()
        return Array(messages.dropFirst(before))
    }

    func webhook(_ id: String = "wh_1") async throws -> (Webhook, WebhookFigures) {
        try #require(try await scene.store.webhooks.all(scene.tenant, id).first)
    }

    /// As if the activity had ended long ago and been archived.
    func drop(_ activity: String) async throws {
        try await scene.database.alter(
            """
            UPDATE snapshot SET phase = 'ended', due_at = NULL,
                updated_at = now() - interval '40 d' WHERE activity_id = '\(activity)';
            UPDATE decision SET settled_at = now(), carried_by = version, accepted = 0, failed = 0
            WHERE settled_at IS NULL
            """)
        let retention = scene.store.retention
        let archive = LogArchive(
            after: 0, through: try await scene.store.log.head(scene.tenant), place: "/archive",
            chain: "c")
        try await retention.note(archive, of: scene.tenant)
        let dropped = try await retention.drop(
            scene.tenant,
            [DroppableActivity(id: ActivityID(rawValue: activity), before: .timeOfDay)])
        #expect(dropped.activities == 1)
    }

    /// Reports something of the order that cannot be folded.
    func park(_ type: String, _ data: String = "{}") async throws {
        let event = NewEvent(
            id: UUID().uuidString, source: "/shops/test", type: type,
            activityID: ActivityID(rawValue: Fact.order), occurredAt: .timeOfDay,
            data: Data(data.utf8))
        let outcomes = try await scene.store.log.append(scene.tenant, [event])
        let areAccepted = outcomes.allSatisfy(\.isAccepted)
        try #require(areAccepted)
        await scene.fold()
    }
}
