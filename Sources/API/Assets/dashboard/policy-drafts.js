/**
 * What was typed of policies and is not put yet, by tenant and kind. It is in this page's memory
 * alone: another language, another kind and the end of a sign-in leave it there, and who signs in
 * for another tenant never sees it. Who signs out leaves nothing behind.
 */
const drafts = new Map();

const place = (tenant, kind) => JSON.stringify([tenant, kind]);

/** Browsers ask in words of their own. */
const hold = (event) => event.preventDefault();

/** Without a draft nobody is asked, and browsers may keep the page for going back. */
function watch() {
    if (drafts.size > 0) addEventListener("beforeunload", hold);
    else removeEventListener("beforeunload", hold);
}

export function dropDrafts() {
    drafts.clear();
    watch();
}

/** The drafts of one tenant: each is {text, base}, of which the base is the policy that it began from. */
export class Drafts {
    #tenant;

    constructor(tenant) {
        this.#tenant = tenant;
    }

    of(kind) {
        return drafts.get(place(this.#tenant, kind));
    }

    keep(kind, draft) {
        drafts.set(place(this.#tenant, kind), draft);
        watch();
    }

    drop(kind) {
        drafts.delete(place(this.#tenant, kind));
        watch();
    }
}
