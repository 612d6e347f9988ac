import { t } from "./words.js";

/** The server's own calls end before; what is longer on its way is lost. */
const READ_MS_MAX = 30_000;
const CHANGE_MS_MAX = 120_000;

// Server-Sent Events over fetch: EventSource does not say why a server lets nobody in.
/** Silence after which a connection counts as dead; the server speaks every 15 seconds. */
const SILENCE_MS_MAX = 40_000;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 10_000;
/**
 * A page that is out of sight for so long gives its connection back: by HTTP/1.1 a browser has six
 * to a server, for all tabs together.
 */
const HIDDEN_MS = 5_000;

/** Answers that trying again would not change. */
const REFUSALS = [400, 401, 403, 404];

/**
 * What a change has to say beside the cookie, which no script can read. It is in this page's memory
 * alone: nothing secret is in a storage or in an address.
 */
let csrfToken = null;
/** The answer to a sign-out takes the cookie away, a newer one as well. */
let ending = null;

/** An answer that is no success, in the server's words; with status 0 there was no answer. */
class Failure extends Error {
    constructor(status, document) {
        // A browser drops the cookie when the sign-in ends, and asks as a stranger from then on.
        const isOver = csrfToken !== null && document?.type === "/problems/missing-key";
        super(isOver ? t("signInEnded") : document?.detail ?? t("answered", status));
        this.status = status;
        this.type = document?.type;
        this.errors = document?.errors ?? [];
    }

    /** Whether the same request may succeed later. */
    get mayPass() {
        return this.status === 0 || this.status === 429 || this.status >= 500;
    }
}

/** Exchanges a key for a cookie. @returns who has signed in. */
export async function openSession(key) {
    if (key === "") throw new Failure(401, { detail: t("noKeyTyped") });
    // No request could carry it.
    if (/[^ -~]/.test(key)) throw new Failure(401, { detail: t("noKeyAtAll") });
    await ending?.catch(() => {});
    return remember(await call("POST", "/v1/session", { headers: { Authorization: `Bearer ${key}` } }));
}

/** @returns who has signed in before; throws a Failure when nobody has. */
export async function resumeSession(signal) {
    return remember(await read("/v1/me", signal));
}

export function endSession(everywhere) {
    ending = call("DELETE", everywhere ? "/v1/sessions" : "/v1/session");
    csrfToken = null;
    return ending;
}

function remember(me) {
    csrfToken = me.csrfToken;
    return me;
}

/**
 * @param isTrial whether it changes nothing, so that no answer leaves nothing to look after.
 * @param onAnswer called with the status of a success.
 * @returns the document, or nothing where an answer has none.
 */
export async function call(method, path, { signal, body, headers, isTrial, onAnswer } = {}) {
    const isRead = method === "GET";
    const ends = [AbortSignal.timeout(isRead ? READ_MS_MAX : CHANGE_MS_MAX), ...(signal ? [signal] : [])];
    let response, document;
    try {
        response = await fetch(path, {
            method, signal: AbortSignal.any(ends), credentials: "same-origin",
            headers: {
                ...(isRead || csrfToken === null ? {} : { "X-CSRF-Token": csrfToken }),
                ...(body === undefined ? {} : { "Content-Type": "application/json" }),
                ...headers,
            },
            body: body === undefined ? undefined : JSON.stringify(body),
        });
        document = JSON.parse(await response.text() || null);
    } catch {
        signal?.throwIfAborted();
        if (!response || response.ok) {
            throw new Failure(0, { detail: t(isRead || isTrial || headers ? "noAnswer" : "noAnswerToChange") });
        }
    }
    if (!response.ok) throw new Failure(response.status, document);
    onAnswer?.(response.status);
    return document;
}

export const read = (path, signal) => call("GET", path, { signal });

export const activityPath = (id, last = "") =>
    `/v1/activities/${encodeURIComponent(id)}${last}`;

/** The log was restored: what the last id stands for is no more. */
class Restored extends Error {}

/** Cuts a text that arrives in pieces into messages. */
class MessageParser {
    #rest = "";

    /** @returns the messages that `text` completes, as {event, id, data}. */
    push(text) {
        const blocks = (this.#rest + text).split("\n\n");
        this.#rest = blocks.pop();
        return blocks.map(parseBlock).filter((message) => message.data !== "");
    }
}

function parseBlock(block) {
    const message = { event: "message", id: null, data: "" };
    for (const line of block.split("\n")) {
        const colon = line.indexOf(":");
        if (colon < 1) continue;
        const value = line.slice(colon + 1).replace(/^ /, "");
        const field = line.slice(0, colon);
        if (field === "data") message.data += value;
        else if (field === "event" || field === "id") message[field] = value;
    }
    return message;
}

/**
 * Follows the stream at a path and reconnects after the last message, until the signal aborts.
 * Throws the server's Failure when it lets nobody in.
 * @param onReturn waited for before each connection but the first.
 * @param onLost called with the reason.
 * @param onRest called when there is none because nobody looks.
 */
export async function follow({ path, signal, onOpen, onMessage, onLost, onRest, onRestored, onReturn }) {
    let lastID = null;
    let retryMs = RETRY_MS_MIN;
    let isNew = true;
    while (!signal.aborted) {
        let why = null;
        try {
            await connect({
                path, signal, lastID, onOpen, onReturn: isNew ? null : onReturn,
                onMessage: (message) => {
                    retryMs = RETRY_MS_MIN;
                    if (message.id !== null) lastID = message.id;
                    onMessage(message);
                },
            });
        } catch (error) {
            if (REFUSALS.includes(error.status)) throw error;
            why = error;
            if (error instanceof Restored) {
                lastID = null;
                onRestored();
            }
        }
        isNew = false;
        if (signal.aborted) return;
        if (document.hidden) {
            onRest();
            await inSight(signal);
            retryMs = RETRY_MS_MIN;
            continue;
        }
        onLost(why);
        await pause(retryMs * (0.75 + Math.random() / 2), signal);
        retryMs = Math.min(retryMs * 2, RETRY_MS_MAX);
    }
}

async function connect({ path, signal, lastID, onOpen, onMessage, onReturn }) {
    const watchdog = new AbortController();
    const stop = () => watchdog.abort();
    signal.addEventListener("abort", stop, { once: true });
    let timer = setTimeout(stop, SILENCE_MS_MAX);
    let rest = null;
    const look = () => {
        clearTimeout(rest);
        rest = document.hidden ? setTimeout(stop, HIDDEN_MS) : null;
    };
    document.addEventListener("visibilitychange", look);
    look();
    try {
        await onReturn?.(watchdog.signal);
        const headers = { Accept: "text/event-stream" };
        if (lastID !== null) headers["Last-Event-ID"] = lastID;
        const response = await fetch(path, {
            headers, signal: watchdog.signal, cache: "no-store", credentials: "same-origin",
        });
        if (!response.ok) await refuse(response, lastID !== null);
        onOpen();
        const parser = new MessageParser();
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        for (;;) {
            const { done, value } = await reader.read();
            if (done) return;
            clearTimeout(timer);
            timer = setTimeout(stop, SILENCE_MS_MAX);
            for (const message of parser.push(value)) onMessage(message);
        }
    } finally {
        clearTimeout(timer);
        clearTimeout(rest);
        document.removeEventListener("visibilitychange", look);
        signal.removeEventListener("abort", stop);
        stop();
    }
}

/** A place that is refused is one of another log: the database was set up again. */
async function refuse(response, hasPlace) {
    const isElsewhere = response.status === 400 && hasPlace;
    if (response.status === 410 || isElsewhere) throw new Restored();
    throw new Failure(response.status, await response.json().catch(() => null));
}

/** Waits until somebody looks at the page. */
function inSight(signal) {
    return new Promise((resolve) => {
        function look() {
            if (document.hidden && !signal.aborted) return;
            document.removeEventListener("visibilitychange", look);
            signal.removeEventListener("abort", look);
            resolve();
        }
        document.addEventListener("visibilitychange", look);
        signal.addEventListener("abort", look);
        look();
    });
}

export function pause(milliseconds, signal) {
    return new Promise((resolve) => {
        const timer = setTimeout(done, milliseconds);
        function done() {
            clearTimeout(timer);
            signal.removeEventListener("abort", done);
            resolve();
        }
        signal.addEventListener("abort", done);
    });
}
