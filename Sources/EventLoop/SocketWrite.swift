import CUV
import Glibc

/// A write that libuv carries on with when the kernel can take more. `request` comes first, so that
/// a pointer to it is a pointer to the whole.
struct SocketWrite {
    var request: uv_write_t
    var buffer: uv_buf_t

    /// The request owns a copy of the bytes and a reference to the socket.
    static func make(
        socket: Socket, bytes: ArraySlice<UInt8>
    ) -> UnsafeMutablePointer<SocketWrite> {
        let write = allocateForLibuv(SocketWrite.self)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        bytes.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: copy, count: bytes.count).copyMemory(from: bytes)
        }
        write.pointee.buffer = uv_buf_init(copy, UInt32(bytes.count))
        write.pointee.request.data = Unmanaged.passRetained(socket).toOpaque()
        return write
    }

    static func finish(_ request: UnsafeMutablePointer<uv_write_t>?, status: Int32) {
        guard let write = request?.cast(to: SocketWrite.self) else { return }
        let socket = owner(Socket.self, write.pointee.request.data)
        dispose(write)
        socket?.queuedWriteEnded(status: status)
    }

    static func dispose(_ write: UnsafeMutablePointer<SocketWrite>) {
        write.pointee.buffer.base?.deallocate()
        if let data = write.pointee.request.data { Unmanaged<Socket>.fromOpaque(data).release() }
        free(write)
    }
}
