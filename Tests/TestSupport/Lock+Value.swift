public import EventLoop

extension Lock {
    /// A copy of the state. Used instead of a closure inside `#expect`: Swift 6.3 can give a
    /// closure in a macro's argument the identity of the next closure outside, and then calls the
    /// wrong one.
    public var value: State { withLock { $0 } }
}
