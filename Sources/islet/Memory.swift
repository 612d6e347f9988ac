import CJemalloc

/// The program is linked to jemalloc, which takes the place of the C library's `malloc` for all
/// that is in it: an event's way through the server is a good deal of small allocations.
enum Memory {
    /// Lets a thread of jemalloc's return unused pages to the system, so that the memory of a burst
    /// goes back even when the server has nothing to do afterwards.
    static func giveBackWhenIdle() {
        var isOn = true
        // A jemalloc built without threads refuses; pages then go back with later allocations.
        _ = mallctl("background_thread", nil, nil, &isOn, MemoryLayout<Bool>.size)
    }
}
