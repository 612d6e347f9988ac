public import EventStore
public import Postgres

extension SessionLease: ClaimLease {}
