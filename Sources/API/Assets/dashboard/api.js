import { t } from "./words.js";

/**
 * What a change has to say beside the cookie, which no script can read. It is in this page's memory
 * alone: nothing secret is in a storage or in an address.
 */
let csrfToken = null;

/** An answer that is no success, in the server's words. */
export class Failure extends Error {
    constructor(status, document) {
        super(document?.detail ?? t("answered", status));
        this.status = status;
        this.type = document?.type;
        this.errors = document?.errors ?? [];
    }
}

/** Exchanges a key for a cookie. @returns who has signed in. */
export async function openSession(key) {
    return remember(await call("POST", "/v1/session", { headers: { Authorization: `Bearer ${key}` } }));
}

/** @returns who has signed in before; throws a Failure when nobody has. */
export async function resumeSession(signal) {
    return remember(await read("/v1/me", signal));
}

export async function endSession(everywhere = false) {
    try {
        await call("DELETE", everywhere ? "/v1/sessions" : "/v1/session");
    } finally {
        csrfToken = null;
    }
}

function remember(me) {
    csrfToken = me.csrfToken;
    return me;
}

/** @returns the document, or nothing where an answer has none. */
export async function call(method, path, { signal, body, headers } = {}) {
    const response = await fetch(path, {
        method, signal, credentials: "same-origin",
        headers: {
            ...(method === "GET" || csrfToken === null ? {} : { "X-CSRF-Token": csrfToken }),
            ...(body === undefined ? {} : { "Content-Type": "application/json" }),
            ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
    });
    const document = await response.json().catch(() => null);
    if (!response.ok) throw new Failure(response.status, document);
    return document;
}

export const read = (path, signal) => call("GET", path, { signal });

export const activityPath = (id, last = "") =>
    `/v1/activities/${encodeURIComponent(id)}${last}`;
