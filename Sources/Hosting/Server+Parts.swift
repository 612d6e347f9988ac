import API
import AppKeys
import DatabaseAccess
import EventLoop
import EventStore
import Pipeline
import Terminal

extension Server {
    /// What one node does; nodes with different roles share one Postgres.
    enum Role: String, CaseIterable, Sendable {
        /// Answers HTTP. Every node does this much for its `/readyz`.
        case api
        /// Folds and decides.
        case projector
        /// Delivers.
        case sender
    }

    enum Ending {
        case stopped
        /// It is held, or not any more, or was restored: what is in memory is of another log.
        case otherLog
    }

    /// What is open before anybody is let in.
    struct Parts {
        let arguments: Arguments
        let node: NodeHealth
        let loop: EventLoop
        /// That one among them.
        let loops: [EventLoop]
        let router: AppRouter?
        let webhooks: WebhookService?
        let database: Database
        let identity: IdentityWatch
        let series: SeriesCounter
        let logStatus: LogStatus
        let meters: NodeMeters
        /// Nil when nobody collects traces.
        let tracer: Tracer?

        /// The checks of readiness, but for the store that `/readyz` asks itself.
        var checks: [HealthCheck] { node.checks + [LogStatusReport.check(logStatus)] }

        /// While the log is held a node answers for itself, and nothing else.
        func does(_ role: Role) -> Bool { logStatus.hold == nil && node.roles.contains(role) }
    }
}
