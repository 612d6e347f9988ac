import Testing

@testable import Terminal

struct `A progress bar` {
    @Test(arguments: [(0, 0, 0), (5, 10, 50), (10, 10, 100), (20, 10, 100), (-3, 10, 0)])
    func `has a line of constant width`(done: Int64, total: Int64, percent: Int) {
        let line = ProgressBar.line("exporting", done: done, of: total)
        #expect(line.contains("  \(percent) %  "))
        #expect(line.filter { $0 == "#" || $0 == "." }.count == 30)
        #expect(line.filter { $0 == "#" }.count == percent * 30 / 100)
    }
}
