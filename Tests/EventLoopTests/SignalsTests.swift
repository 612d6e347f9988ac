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

    @Test(.timeLimit(.minutes(1))) func `a signal reaches everyone who waits for it`() async {
        // Nobody else waits for this one, and without a stream it does nothing.
        let streams = [Signals.stream([SIGURG]), Signals.stream([SIGURG])]
        kill(getpid(), SIGURG)
        for stream in streams {
            var seen: Int32?
            for await signal in stream {
                seen = signal
                break
            }
            #expect(seen == SIGURG)
        }
    }
}
