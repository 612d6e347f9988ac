/// What an API key may do.
public enum Scope: String, CaseIterable, Sendable {
    case eventsWrite = "events:write"
    case activitiesRead = "activities:read"
    case registrationsWrite = "registrations:write"
    case admin
}
