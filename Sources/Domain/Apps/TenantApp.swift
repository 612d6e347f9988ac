/// An app of a tenant in one of Apple's environments: what pushes are sent for, and with whose key.
public struct TenantApp: Hashable, Sendable {
    public var tenant: TenantID
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
