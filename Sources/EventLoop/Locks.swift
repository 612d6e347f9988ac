// What runs on a loop shares values with other threads, so its modules get locks with it.
@_exported public import Locks
