import Domain
import EventStore

struct AppWays: Sendable {
    struct Route: Sendable {
        var key: AppKeyRecord?
        /// Nil when the key cannot be used.
        var clients: AppClients?
    }

    var routes: [TenantApp: Route] = [:]
    /// For apps without keys of their own.
    var fallback: [APNsEnvironment: AppClients] = [:]

    var all: [AppClients] { routes.values.compactMap(\.clients) + fallback.values }

    func way(for app: TenantApp) -> AppRouter.Way {
        if let route = routes[app] {
            if let clients = route.clients { return .open(clients) }
            return .closed(route.key == nil ? .noKey : .keySealed)
        }
        return fallback[app.app.environment].map { .open($0) } ?? .closed(.noApp)
    }

    func clients(forAnyTenantOf app: ChannelApp) -> AppClients? {
        let own = routes.filter { $0.key.app == app && $0.value.clients != nil }
        let first = own.min { $0.key.tenant < $1.key.tenant }
        return first?.value.clients ?? fallback[app.environment]
    }

    /// What is to be there, without connections: every app that has a key, in both environments.
    static func wanted(_ records: [AppKeyRecord]) -> [TenantApp: AppKeyRecord?] {
        var wanted: [TenantApp: AppKeyRecord?] = [:]
        for record in records {
            for environment in APNsEnvironment.allCases {
                let app = TenantApp(
                    tenant: record.place.tenant, bundleID: record.place.bundleID,
                    environment: environment)
                let inUse = records.inUse(
                    for: record.place.tenant, record.place.bundleID, environment)
                wanted.updateValue(inUse, forKey: app)
            }
        }
        return wanted
    }
}
