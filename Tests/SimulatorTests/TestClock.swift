import Domain
import EventLoop

/// A clock that moves when told.
final class TestClock: Sendable {
    private let moment: Lock<Moment>

    init(_ start: Moment) {
        moment = Lock(start)
    }

    var now: @Sendable () -> Moment {
        { [moment] in moment.withLock { $0 } }
    }

    func advance(seconds: Double) {
        moment.withLock { $0 = $0.adding(seconds: seconds) }
    }
}
