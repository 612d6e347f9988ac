import EventStore
import Pipeline
import Terminal
import Testing

@testable import Hosting

struct `What nobody needs any more` {
    @Test func `is kept as long as the reference says, each sort by itself`() throws {
        #expect(
            KeepOptions.days(try serveArguments())
                == [.registrations: 30, .notices: 30, .keys: 90])
        let words = ["--keep-cards-days", "1", "--keep-notices-days", "8", "--keep-keys-days", "2"]
        #expect(
            KeepOptions.days(try serveArguments(words))
                == [.registrations: 1, .notices: 8, .keys: 2])
    }

    @Test(arguments: ["keep-cards-days", "keep-notices-days", "keep-keys-days"])
    func `is kept for a while at least`(option: String) {
        let failure = #expect(throws: CommandFailure.self) {
            try serveArguments(["--\(option)", "0"])
        }
        #expect(failure?.text.hasPrefix("--\(option) must be a whole number from ") == true)
    }

    @Test func `is logged with its sort and number when it goes`() {
        let lines = LoggedLines()
        Sweeper.Diagnostic.removed(.keys, 12).write(to: lines.log)
        #expect(lines.all == ["<6>removed what was kept long enough rows=12 sort=keys"])
    }
}
