/// An app of a tenant in one of Apple's environments: what pushes are sent for, and with whose key.
public struct TenantApp: Hashable, Sendable {
    /// Whose keys sign the pushes.
    public var tenant: TenantID
    /// Bundle id and environment.
    public var app: ChannelApp

    public init(tenant: TenantID, app: ChannelApp) {
        self.tenant = tenant
        self.app = app
    }

    public init(tenant: TenantID, bundleID: String, environment: APNsEnvironment) {
        self.init(
            tenant: tenant, app: ChannelApp(bundleID: bundleID, environment: environment))
    }
}
