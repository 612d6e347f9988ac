import Testing

@testable import Hosting

struct `A database's clock that was set back` {
    @Test func `is one error when it begins, and one line when it has come as far again`() {
        let lines = LoggedLines()
        let log = lines.log
        var clock = DatabaseClock()
        for seconds in [0, 1.5, 0, 32_400, 32_395, 1, 0, 0] {
            clock.note(behindSeconds: seconds, in: log)
        }
        #expect(
            lines.all == [
                "<3>the database's clock is behind what the database has written down: pushes wait "
                    + "until it has come that far seconds=32400",
                "<6>the database's clock has caught up with what the database has written down: "
                    + "pushes go on",
            ])
    }
}
