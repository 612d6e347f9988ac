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

/** An answer that trying again would not change. */
export class Refusal extends Error {
    constructor(status, title) {
        super(title);
        this.status = status;
    }
}

/** The log was restored: what the last id stands for is no more. */
class Restored extends Error {}

/** Cuts a text that arrives in pieces into messages. */
export class MessageParser {
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
 * Throws a Refusal when the server lets nobody in.
 * @param onReturn waited for before each connection but the first.
 * @param onRest called when there is none because nobody looks.
 */
export async function follow({ path, signal, onOpen, onMessage, onLost, onRest, onRestored, onReturn }) {
    let lastID = null;
    let retryMs = RETRY_MS_MIN;
    let isNew = true;
    while (!signal.aborted) {
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
            if (error instanceof Refusal) throw error;
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
        onLost(retryMs);
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

/**
 * A refusal of who asks is final; anything else may pass. A place that is refused is one of another
 * log: the database was set up again.
 */
async function refuse(response, hasPlace) {
    const document = await response.json().catch(() => ({}));
    const text = document.detail ?? `The server answered ${response.status}.`;
    const isElsewhere = response.status === 400 && hasPlace;
    if (response.status === 410 || isElsewhere) throw new Restored(text);
    if ([400, 401, 403, 404].includes(response.status)) throw new Refusal(response.status, text);
    throw new Error(text);
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

function pause(milliseconds, signal) {
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
