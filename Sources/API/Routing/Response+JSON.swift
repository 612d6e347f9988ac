import HTTP

extension Response {
    static func json(_ status: Int, _ value: JSON) -> Response {
        Response(
            status: status, headers: ["content-type": "application/json"],
            body: .bytes(value.bytes))
    }
}
