/// What becomes of a request whose head has come, decided before its body is taken.
public enum Admission: Sendable {
    case admitted(Terms)
    /// The answer; the connection is closed after it, for nobody reads the body.
    case refused(Response)

    /// On what terms a body is taken.
    public struct Terms: Sendable {
        /// In force where it is below the server's own.
        public var bodyBytesMax: Int
        /// For whom the body takes room, beside the client's address.
        public var owners: [BodyOwner]
        /// Whom the request is from; comes back to the handler as `Request.caller`.
        public var caller: (any AnyObject & Sendable)?

        public init(
            bodyBytesMax: Int = .max, owners: [BodyOwner] = [],
            caller: (any AnyObject & Sendable)? = nil
        ) {
            self.bodyBytesMax = bodyBytesMax
            self.owners = owners
            self.caller = caller
        }
    }
}

/// Somebody who may take so much of the server's memory for bodies at a time.
public struct BodyOwner: Hashable, Sendable {
    /// Distinguished by it, for example `tenant 7`. Never shown.
    public var name: String
    public var bytesMax: Int

    public init(_ name: String, bytesMax: Int) {
        self.name = name
        self.bytesMax = bytesMax
    }
}

/// Decides by a request's head whether its body is taken. Runs on the connection's event loop: one
/// that does not suspend costs no iteration of it, and while it waits nothing is read.
public typealias Admitter = @Sendable (Request) async -> Admission
