import Domain
import Foundation
import HTTP
import JSON

/// Why the control API did not do what it was asked, with the remedy in `detail`: an RFC 9457
/// problem document.
struct ControlProblem: Error, Encodable {
    var type = "about:blank"
    var status: Int
    var title: String
    var detail: String

    static func notFound(_ detail: String) -> ControlProblem {
        ControlProblem(status: 404, title: "Not found", detail: detail)
    }

    static func invalid(_ detail: String) -> ControlProblem {
        ControlProblem(status: 422, title: "Invalid request", detail: detail)
    }

    var response: Response {
        var response = Response.json(self, status: status)
        response.headers = ["content-type": "application/problem+json"]
        return response
    }
}

extension ControlProblem {
    init(_ error: SimulatorError) {
        switch error {
        case .cannotStart, .cannotListen:
            self.init(status: 500, title: "Not started", detail: error.description)
        case .unknownKind:
            self = .invalid("kind is not in the catalogue; it is spelled as in docs/reference")
        case .unknownPhone: self = .notFound("no phone has this id; GET /phones lists them")
        case .activityRefused(let what): self = .invalid("the app refuses to start: \(what)")
        case .noToken(let why): self = .notFound(why)
        case .systemTooOld(let what): self = .invalid("the phone's iOS is too old: \(what)")
        case .tooManyFaults:
            self.init(
                status: 409, title: "Too many faults",
                detail: "at most \(Limits.faultsMax) last or wait at once; DELETE /faults ends all")
        case .tooManyPhones:
            self.init(
                status: 409, title: "Too many phones",
                detail: "at most \(Limits.phonesMax) phones fit into one simulator")
        }
    }
}

extension Response {
    static func json(_ value: some Encodable, status: Int = 200) -> Response {
        Response(
            status: status, headers: ["content-type": "application/json"],
            body: .bytes(Array(WireCoder.encode(value))))
    }
}
