import { t } from "./words.js";

/** Only this tab's memory: gone when the tab is, and never part of an address. */
const STORED_KEY = "islet-key";

/** An answer that is no success, in the server's words. */
export class Failure extends Error {
    constructor(status, document) {
        super(document?.detail ?? t("answered", status));
        this.status = status;
    }
}

export const key = () => sessionStorage.getItem(STORED_KEY);
export const keepKey = (key) => sessionStorage.setItem(STORED_KEY, key);
export const forgetKey = () => sessionStorage.removeItem(STORED_KEY);

/** @returns the document, or nothing where an answer has none. */
export async function call(method, path, { signal, body } = {}) {
    const response = await fetch(path, {
        method, signal,
        headers: {
            Authorization: `Bearer ${key()}`,
            ...(body === undefined ? {} : { "Content-Type": "application/json" }),
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
