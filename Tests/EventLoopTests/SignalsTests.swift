import EventLoop
import Glibc
import Testing

@Suite struct SignalsTests {
    @Test func `a signal sent right after subscribing arrives instead of killing the process`()
        async
    {
        let signals = Signals.stream([SIGUSR1, SIGUSR2])
        kill(getpid(), SIGUSR2)
        kill(getpid(), SIGUSR1)
        var seen: Set<Int32> = []
        for await signal in signals {
            seen.insert(signal)
            if seen.count == 2 { break }
        }
        #expect(seen == [SIGUSR1, SIGUSR2])
    }
}
