public import Domain
public import Foundation

/// An administrative act: who did what to what, and what it changed. Never a secret.
public struct AuditEntry: Hashable, Sendable {
    /// The later, the greater.
    public var id: Int64
    public var tenant: Tenant
    public var at: Moment
    /// `key 12` for an API key; for a command the program and the account that ran it.
    public var actor: String
    /// Such as `key.revoked`.
    public var act: String
    /// Names what was changed: the id of a key or webhook, the kind of a policy.
    public var subject: String
    /// JSON objects of what the act concerns; nil where there was or is nothing.
    public var before: Data?
    public var after: Data?

    public init(
        id: Int64, tenant: Tenant, at: Moment, actor: String, act: String, subject: String,
        before: Data? = nil, after: Data? = nil
    ) {
        self.id = id
        self.tenant = tenant
        self.at = at
        self.actor = actor
        self.act = act
        self.subject = subject
        self.before = before
        self.after = after
    }
}

/// Who acts. The store writes the name beside each administrative act, in the same transaction.
public enum Operator {
    /// Nil for somebody who is logged in to the database: a command, or a person in psql.
    @TaskLocal public static var current: String?
}
