/// What an API key may do.
public enum Scope: String, CaseIterable, Sendable {
    case eventsWrite = "events:write"
    case activitiesRead = "activities:read"
    case registrationsWrite = "registrations:write"
    case admin
    /// To see all tenants of the installation, create some and set their limits. The right to do
    /// everything within a tenant does not include this.
    case tenants = "tenants:manage"

    /// What a key may do that nobody has asked more for.
    public static let ordinary: Set<Scope> = Set(allCases).subtracting([.admin, .tenants])
}
