import Domain
import Foundation
import HTTP

/// The control side over HTTP: create phones, see what they show, cause trouble.
///
/// It is for testers on a private network and asks for no key.
struct ControlAPI: Sendable {
    let simulator: Simulator
    var credentials: SimulatorCredentials?

    func respond(to request: Request) -> Response {
        let path = request.path.split(separator: "/").map(String.init)
        do throws(ControlProblem) {
            switch (request.method, path.first, path.count) {
            case ("GET", "phones", 1): return .json(simulator.phones())
            case ("POST", "phones", 1): return try addPhone(request.body)
            case ("GET", "phones", 2): return try show(PhoneID(rawValue: path[1]))
            case ("POST", "phones", 3) where path[2] == "activities":
                return try start(request.body, on: PhoneID(rawValue: path[1]))
            case ("POST", "phones", 3) where path[2] == "start-tokens":
                return try tellStartToken(request.body, on: PhoneID(rawValue: path[1]))
            case ("POST", "phones", 3) where path[2] == "update-tokens":
                return try tellUpdateToken(request.body, on: PhoneID(rawValue: path[1]))
            case ("POST", "phones", 3) where path[2] == "rotation":
                return try rotate(request.body, on: PhoneID(rawValue: path[1]))
            case ("POST", "phones", 3) where path[2] == "settings":
                return try change(request.body, on: PhoneID(rawValue: path[1]))
            case ("POST", "silent-tokens", 1): return try makeTokens(request.body)
            case ("GET", "pushes", 1): return .json(simulator.tally())
            case ("GET", "broadcasts", 1): return .json(simulator.tally(of: .broadcasts))
            case ("GET", "oddities", 1): return .json(simulator.oddities())
            case ("GET", "channels", 1): return .json(simulator.channels())
            case ("POST", "faults", 1): return try cause(request.body)
            case ("GET", "faults", 1): return .json(simulator.faults())
            case ("DELETE", "faults", 1):
                simulator.clearFaults()
                return Response(status: 204)
            case ("GET", "credentials", 1):
                guard let credentials else { throw .notFound("there are none to give away") }
                return .json(credentials)
            case ("POST", "provider-tokens", 1): return try makeProviderToken()
            case ("GET", "healthz", 1): return .json(["status": "ok"])
            default:
                throw .notFound(
                    "there are GET and POST /phones, GET /phones/{id}, "
                        + "POST /phones/{id}/activities, POST /phones/{id}/start-tokens, "
                        + "POST /phones/{id}/update-tokens, "
                        + "POST /phones/{id}/rotation, POST /phones/{id}/settings, "
                        + "GET /pushes, GET /broadcasts, GET /oddities, GET /channels, "
                        + "POST /silent-tokens, "
                        + "GET, POST and DELETE /faults, GET /credentials and POST /provider-tokens"
                )
            }
        } catch { return error.response }
    }

    private func addPhone(_ body: [UInt8]) throws(ControlProblem) -> Response {
        .json(try read(PhoneRequest.self, body).add(to: simulator), status: 201)
    }

    private func start(_ body: [UInt8], on id: PhoneID) throws(ControlProblem) -> Response {
        let wanted = try read(PhoneRequest.self, body)
        guard let start = try wanted.start(now: simulator.phoneTime()) else {
            throw .invalid("kind is missing")
        }
        let token = try asked(try simulator.start(start, on: id, channel: wanted.channel))
        return .json(RegisteredPhone(id: id, pushToken: token?.hex), status: 201)
    }

    private func tellStartToken(
        _ body: [UInt8], on id: PhoneID
    ) throws(ControlProblem) -> Response {
        struct Wanted: Decodable { var kind: String }
        let wanted = try read(Wanted.self, body)
        let token = try asked(try simulator.startToken(for: wanted.kind, on: id))
        return .json(RegisteredPhone(id: id, pushToken: token.hex), status: 201)
    }

    private func tellUpdateToken(
        _ body: [UInt8], on id: PhoneID
    ) throws(ControlProblem) -> Response {
        let activity = try readActivity(body)
        let token = try asked(try simulator.updateToken(of: activity, on: id))
        return .json(RegisteredPhone(id: id, pushToken: token.hex))
    }

    /// `{"activity": "order-1"}` for the token of a card, and `{"kind": "Match"}` for a
    /// push-to-start token.
    private func rotate(_ body: [UInt8], on id: PhoneID) throws(ControlProblem) -> Response {
        struct Wanted: Decodable { var kind: String? }
        let tokens: (from: PushToken, to: PushToken)
        if let kind = try read(Wanted.self, body).kind {
            tokens = try asked(try simulator.rotateStartToken(for: kind, on: id))
        } else {
            let activity = try readActivity(body)
            tokens = try asked(try simulator.rotate(activity, on: id))
        }
        return .json(["from": tokens.from.hex, "to": tokens.to.hex])
    }

    private func show(_ id: PhoneID) throws(ControlProblem) -> Response {
        guard let phone = simulator.phone(id) else { throw ControlProblem(.unknownPhone) }
        return .json(phone)
    }

    private func change(_ body: [UInt8], on id: PhoneID) throws(ControlProblem) -> Response {
        struct Wanted: Decodable { var frequentUpdates: Bool }
        let wanted = try read(Wanted.self, body)
        try asked(try simulator.setFrequentUpdates(wanted.frequentUpdates, on: id))
        return Response(status: 204)
    }

    private func makeTokens(_ body: [UInt8]) throws(ControlProblem) -> Response {
        struct Wanted: Decodable { var count: Int }
        let count = try read(Wanted.self, body).count
        guard (1...Limits.silentTokensMax).contains(count) else {
            throw .invalid("count must be from 1 to \(Limits.silentTokensMax)")
        }
        let tokens = (0..<count).map { _ in simulator.addSilentToken().hex }
        return .json(["pushTokens": tokens], status: 201)
    }

    private func makeProviderToken() throws(ControlProblem) -> Response {
        let now = simulator.configuration.now()
        guard let token = credentials?.providerToken(issuedAt: now) else {
            throw .notFound("there is no key to sign one with")
        }
        return .json(["authorization": "bearer \(token)"], status: 201)
    }

    private func cause(_ body: [UInt8]) throws(ControlProblem) -> Response {
        let fault = try read(Fault.self, body)
        try asked(try simulator.cause(fault))
        return Response(status: 204)
    }

    private func asked<Answer>(
        _ ask: @autoclosure () throws(SimulatorError) -> Answer
    ) throws(ControlProblem) -> Answer {
        do throws(SimulatorError) { return try ask() } catch { throw ControlProblem(error) }
    }

    private func readActivity(_ body: [UInt8]) throws(ControlProblem) -> ActivityID {
        struct Wanted: Decodable { var activity: String }
        return ActivityID(rawValue: try read(Wanted.self, body).activity)
    }

    private func read<T: Decodable>(
        _ type: T.Type, _ body: [UInt8]
    ) throws(ControlProblem) -> T {
        do { return try JSONDecoder().decode(type, from: Data(body)) } catch {
            throw .invalid(Card.explain(error))
        }
    }
}
