import API
import DatabaseAccess
import EventLoop
import EventStore
import Terminal

/// What a node knows of itself: whether its calls of the database work, and whether it is stopping.
struct NodeHealth: Sendable {
    let store = StoreHealth()
    /// What the node does beside answering HTTP.
    let roles: Set<Server.Role>
    private let draining = Lock(false)

    /// From now on the node is not ready. It goes on with what it does.
    func drain() { draining.withLock { $0 = true } }

    /// Those without which the node is of no use.
    var calls: Set<StoreCall> {
        Set(StoreCall.allCases.filter { roles.contains($0.role) })
    }

    /// Of late: the database answers then, even if a look-up waits in a line.
    var hasStoreWorked: Bool { store.hasWorked(withinSeconds: 5) }

    /// Of readiness.
    var checks: [HealthCheck] {
        [HealthCheck(name: "node") { state }]
            + StoreCall.allCases.filter(calls.contains).map { call in
                HealthCheck(name: call.checkName) { result(of: call) }
            }
    }

    private var state: HealthCheck.Result {
        draining.withLock { $0 }
            ? .unhealthy("draining: the node got a signal to stop, send it nothing new")
            : .healthy("in service")
    }

    private func result(of call: StoreCall) -> HealthCheck.Result {
        if let error = store.complaint(about: call) { return .unhealthy(Self.words(error)) }
        let history = store.history(of: call)
        if history.lastFailure != nil { return .healthy("the last one failed; trying") }
        if call == .fold, let refusal = store.foldRefusal {
            return .healthy("the last one failed: \(Self.words(refusal))")
        }
        return .healthy(history.lastSuccess == nil ? "not tried yet" : "works")
    }

    /// What a stranger may read; the log says more.
    static func words(_ error: EventStoreError) -> String {
        if error.isStandbyAway {
            return "commits wait for a synchronous standby that is away: bring one back; islet "
                + "doctor says how many are missing, and how the primary goes on without"
        }
        if error.isReadOnly {
            return "the database takes no writes (\(EventStoreError.readOnlyState)); islet doctor "
                + "says why, and how to undo it"
        }
        return switch error {
        case .unavailable:
            if let state = error.sqlState {
                "the database answers \(state)\(meaning(of: state)); islet doctor says more"
            } else {
                "the database does not answer; islet doctor looks for the reason"
            }
        case .outcomeUnknown: "the connection to the database breaks in the middle of a call"
        case .failed(let state, _): "the database refuses it (\(state)); the log says more"
        case .schema(let detail) where error == .oldProgram: detail
        case .schema: "the database has another schema than this program; islet doctor says more"
        case .overloaded: "the node has as much to do as it takes on"
        case .moving: "the tenant moves to another cell"
        }
    }

    private static func meaning(of state: String) -> String {
        switch state {
        case "53100": " (its disk is full)"
        case "53300": " (it has no connection left)"
        case "57P03": " (it starts or stops)"
        default: ""
        }
    }
}

extension HealthWatch.Diagnostic {
    func write(to log: Log) {
        switch self {
        case .stopped(let call, let error):
            log(
                .error, "not ready: calls of the database do nothing but fail",
                ["call": call.rawValue, "why": Database.explanation(of: error)])
        case .works(let call):
            log(.info, "calls of the database work again", ["call": call.rawValue])
        }
    }
}

extension StoreCall {
    fileprivate var role: Server.Role {
        switch self {
        case .append: .api
        case .fold: .projector
        case .send: .sender
        }
    }

    var checkName: String {
        switch self {
        case .append: "appends"
        case .fold: "folds"
        case .send: "pushes"
        }
    }
}
