import CUV
import Glibc

/// An object that owns a libuv handle. The loop keeps it alive while the handle is open.
protocol LoopResource: AnyObject {
    /// The loop is going away: close the handle and inform all who wait.
    func loopWillStop()
}

/// Memory for a handle or a request, to be freed by `free` from a C callback that knows no type.
func allocateForLibuv<Raw>(_ type: Raw.Type) -> UnsafeMutablePointer<Raw> {
    guard let memory = calloc(1, MemoryLayout<Raw>.stride) else { fatalError("out of memory") }
    return memory.bindMemory(to: Raw.self, capacity: 1)
}

extension UnsafeMutablePointer {
    /// libuv's structs begin with those they derive from; C code casts, this is the same cast.
    func cast<Base>(to type: Base.Type) -> UnsafeMutablePointer<Base> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Base.self)
    }
}

/// The object behind a handle's or request's `data`, which is a borrowed pointer.
func owner<Owner: AnyObject>(_ type: Owner.Type, _ data: UnsafeMutableRawPointer?) -> Owner? {
    data.map { Unmanaged<Owner>.fromOpaque($0).takeUnretainedValue() }
}

extension EventLoop {
    /// Binds `object` to its handle; the loop keeps the object until `release`.
    func keep<Object: LoopResource, Raw>(
        _ object: Object, for handle: UnsafeMutablePointer<Raw>
    ) {
        handle.cast(to: uv_handle_t.self).pointee.data = Unmanaged.passUnretained(object).toOpaque()
        resources[ObjectIdentifier(object)] = object
    }

    /// Closes the handle and lets go of the object; no callback of the handle runs after this.
    func release<Raw>(_ object: any LoopResource, _ handle: UnsafeMutablePointer<Raw>) {
        let base = handle.cast(to: uv_handle_t.self)
        base.pointee.data = nil
        resources[ObjectIdentifier(object)] = nil
        uv_close(base) { free($0) }
    }
}
