import Domain
import EventStore

/// The clients of each app that has a key, and those for apps without one.
struct AppClientTable: Sendable {
    struct Entry: Sendable {
        var key: AppKeyRecord?
        /// Nil when the key cannot be used.
        var clients: AppClients?
    }

    var entries: [TenantApp: Entry] = [:]
    /// The clients for apps without keys of their own.
    var fallback: [APNsEnvironment: AppClients] = [:]

    var all: [AppClients] { entries.values.compactMap(\.clients) + fallback.values }

    func lookUp(_ app: TenantApp) -> AppRouter.ClientLookup {
        if let entry = entries[app] {
            if let clients = entry.clients { return .usable(clients) }
            return .unusable(entry.key == nil ? .noKey : .keySealed)
        }
        return fallback[app.app.environment].map { .usable($0) } ?? .unusable(.noApp)
    }

    /// - Returns: nil when there is no key, or nowhere to make channels.
    func clients(forAnyTenantOf app: AppInEnvironment) -> AppClients? {
        let own = entries.filter { $0.key.app == app && $0.value.clients != nil }
        let first = own.min { $0.key.tenant < $1.key.tenant }
        let clients = first?.value.clients ?? fallback[app.environment]
        return clients?.hasChannels == true ? clients : nil
    }

    /// What is to be there, without connections: every app that has a key, in each environment.
    static func wanted(_ records: [AppKeyRecord]) -> [TenantApp: AppKeyRecord?] {
        var wanted: [TenantApp: AppKeyRecord?] = [:]
        for record in records {
            for environment in APNsEnvironment.allCases {
                let app = TenantApp(
                    tenant: record.identity.tenant, bundleID: record.identity.bundleID,
                    environment: environment)
                let inUse = records.inUse(
                    for: record.identity.tenant, record.identity.bundleID, environment)
                wanted.updateValue(inUse, forKey: app)
            }
        }
        return wanted
    }
}
