import CPostgres
import EventLoop

/// Moving bytes and taking results from libpq; everything here runs on the loop and never waits.
extension Connection {
    func startWatching() throws(PostgresError) {
        guard let pointer = handle.pointer, watch == nil else { return }
        do throws(NetworkError) {
            watch = try loop.watch(fileDescriptor: PQsocket(pointer)) {
                [weak self] readable, writable in
                self?.assumeIsolated { $0.ready(readable: readable, writable: writable) }
            }
        } catch {
            let failure = PostgresError.cannotConnect(detail: "\(error)")
            end(failure)
            throw failure
        }
        watch?.interest(readable: true, writable: false)
    }

    private func ready(readable: Bool, writable: Bool) {
        guard let pointer = handle.pointer else { return }
        if readable {
            lastHeardAt = .now
            guard PQconsumeInput(pointer) == 1 else {
                lose()
                return
            }
            takeResults()
            // After them: libpq reads what follows an answer only when that was taken.
            takeNotifications()
        }
        if writable { flush() }
        if let pointer = handle.pointer, PQstatus(pointer) == CONNECTION_BAD { lose() }
    }

    /// Sends what libpq has buffered, as far as the socket takes it.
    func flush() {
        guard let pointer = handle.pointer else { return }
        let state = PQflush(pointer)
        guard state >= 0 else {
            lose()
            return
        }
        let mustWait = state == 1
        if mustWait != isWatchingWrites {
            isWatchingWrites = mustWait
            watch?.interest(readable: true, writable: mustWait)
        }
    }

    private func lose() {
        // What the server said before it hung up (for example that it shuts down) comes first.
        takeResults()
        end(.connectionLost(detail: ConnectionHandle.message(of: handle.pointer)))
    }

    private func takeNotifications() {
        while let pointer = handle.pointer, let notification = PQnotifies(pointer) {
            deliverNotification(String(cString: notification.pointee.extra))
            PQfreemem(notification)
        }
    }

    private func takeResults() {
        while let operation = sent.first, let pointer = handle.pointer, PQisBusy(pointer) == 0 {
            guard let result = PQgetResult(pointer) else {
                // A broken connection ends nothing: what was sent may have taken effect.
                if PQstatus(pointer) == CONNECTION_BAD { return }
                switch operation.work {
                case .script: finishFirst()
                // Between two statements there is an empty result.
                case .batch: break
                }
                continue
            }
            if PQresultStatus(result) == PGRES_PIPELINE_SYNC {
                PQclear(result)
                finishFirst()
            } else {
                take(ResultHandle(result), for: operation)
            }
        }
    }

    private func take(_ result: ResultHandle, for operation: Operation) {
        let step =
            operation.stepIndex < operation.steps.count
            ? operation.steps[operation.stepIndex] : nil
        operation.stepIndex += 1
        switch PQresultStatus(result.pointer) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            switch step {
            case .prepare(let statement): prepared.append(statement)
            case .execute: operation.results.append(Rows(result: result))
            case nil: break
            }
        case PGRES_PIPELINE_ABORTED:
            break
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE:
            let serverError = ServerError(result)
            forget(step, after: serverError)
            judge(serverError)
            operation.error = operation.error ?? .server(serverError)
        default:
            // COPY and the like: nothing here starts them, and they would never end.
            end(.connectionLost(detail: "unexpected kind of result"))
        }
    }

    /// A prepared statement that the server dropped or that no longer fits its tables is prepared
    /// afresh next time.
    private func forget(_ step: Operation.Step?, after serverError: ServerError) {
        guard case .execute(let statement?) = step,
            [SQLState.invalidStatementName, SQLState.featureNotSupported]
                .contains(serverError.sqlState)
        else { return }
        prepared.removeAll { $0.isFor(statement.sql, statement.isApart) }
    }
}

extension ServerError {
    init(_ result: ResultHandle) {
        func field(_ code: Character) -> String? {
            PQresultErrorField(result.pointer, Int32(code.asciiValue ?? 0)).map {
                String(cString: $0)
            }
        }
        let state = field("C") ?? SQLState.connectionFailure
        let message = field("M") ?? "the connection broke"
        self.init(
            sqlState: state,
            message: SQLState.quotesValues(state)
                ? "invalid data" : String(message.prefix(Limits.messageCharactersMax)),
            constraint: field("n"))
        isOutOfIDs = Self.isOutOfIDs(state, function: field("R"))
    }

    /// Postgres says by the same state that a value is too long for an index, and much else. Its
    /// texts depend on its language; the function that finds it out does not
    /// (src/backend/access/transam/varsup.c and multixact.c).
    static func isOutOfIDs(_ state: String, function: String?) -> Bool {
        state == SQLState.programLimitExceeded
            && (function == "GetNewTransactionId" || function == "GetNewMultiXactId")
    }
}
