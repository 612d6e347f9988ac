import CJemalloc
import Foundation
import Glibc
import Terminal

@main
struct Islet {
    static let commandSet = CommandSet(
        [
            .serve, .wait, .doctor, .configCheck, .configShow, .configTable, .demo, .simulate,
            .migrate, .keysCreate, .keysList, .keysRevoke,
            .keysRotateTickets, .tenantsCreate, .tenantsList, .tenantsLimits, .tenantsRemove,
            .tenantsMove, .cellsSet, .cellsList, .cellsCheck,
            .archive, .erase, .replayShow,
            .replayWhy, .replayStep, .replayWhatIf, .replayVerify, .replayTrace, .replayDiff,
            .replayRun, .replayConvert, .eventsExport, .eventsImport,
            .projectionsList, .projectionsParked, .projectionsRetry, .projectionsSkip,
            .projectionsRebuild, .projectionsPause, .projectionsResume, .projectionsCancel,
            .channelsList, .channelsSweep, .appsAdd, .appsList, .appsRotate, .appsRemove,
            .appsRewrapKeys, .webhooksAdd, .webhooksList, .webhooksRotate, .webhooksTest,
            .webhooksEnable, .webhooksDisable, .webhooksRemove, .deadLettersList, .deadLettersRetry,
            .deadLettersDismiss, .restoreStatus, .restoreHold, .restoreAccept,
            .audit,
        ],
        formerNames: [
            "apps reseal": "apps rewrap-keys", "replay folds": "replay trace",
            "replay export": "events export", "replay import": "events import",
        ],
        // Of `replay run`, and of the project's own builds and tests.
        otherVariables: [
            "ISLET_KEY", "ISLET_COMMIT", "ISLET_EXAMPLES", "ISLET_FUZZ", "ISLET_FUZZ_SEED",
            "ISLET_MEMORY", "ISLET_POSTGRES_BIN", "ISLET_PROGRAM", "ISLET_SETUP_YES",
            "ISLET_SHARED_DATA",
            "ISLET_SOAK", "ISLET_SOAK_BLOWS", "ISLET_SOAK_SEED",
        ])

    static func main() async {
        Console.keepStandardDescriptors()
        // For all commands: a file that may grow no longer (`ulimit -f`) is then refused with a
        // reason, as on a full disk, and does not end the program without a word.
        signal(SIGXFSZ, SIG_IGN)
        giveBackIdleMemory()
        let words = Array(CommandLine.arguments.dropFirst())
        let code = await commandSet.run(words, environment: ProcessInfo.processInfo.environment)
        // Not `exit`: that lets the libraries take themselves apart (libuv its signal pipe, OpenSSL
        // its tables) while loops still run on their threads, which crashes now and then.
        fflush(nil)
        _exit(code)
    }

    /// The program is linked to jemalloc, which takes the place of the C library's `malloc` for all
    /// that is in it: an event's way through the server is a good deal of small allocations. Lets a
    /// thread of jemalloc's return unused pages to the system, so that the memory of a burst goes
    /// back even when the server has nothing to do afterwards.
    private static func giveBackIdleMemory() {
        var isOn = true
        // A jemalloc built without threads refuses; pages then go back with later allocations.
        _ = mallctl("background_thread", nil, nil, &isOn, MemoryLayout<Bool>.size)
    }
}
