import { forgetKey, keepKey, key, read } from "./api.js";
import { Attention } from "./attention.js";
import { Board } from "./board.js";
import { setServerTime, tick } from "./clocks.js";
import { $, setText } from "./dom.js";
import { applySettings } from "./settings.js";
import { Refusal, follow } from "./stream.js";
import { t } from "./words.js";

/** Who is signed in: the tenant and what the key may do. */
let me = null;
let session = null;
/** Of the snapshots that are shown; null before the stream has said which. */
let generation = null;

const go = (path) => {
    history.pushState(null, "", path);
    route();
};
const attention = new Attention();
const board = new Board({ go });
/** The page of one activity, fetched when the first is opened: the list is there sooner without it. */
let page = null;

function setState(state, text) {
    document.body.dataset.state = state;
    setText($("status-text"), t(text));
    const isSignedIn = state !== "signed-out";
    $("sign-in").hidden = isSignedIn;
    $("sign-out").hidden = !isSignedIn;
    if (!isSignedIn) for (const id of ["board", "activity", "other", "tenant"]) $(id).hidden = true;
}

function showProblem(text) {
    $("problem").hidden = !text;
    setText($("problem"), text ?? "");
}

function signOut(reason) {
    forgetKey();
    session?.abort();
    session = null;
    me = null;
    generation = null;
    attention.stop();
    board.clear();
    page?.close();
    showProblem(null);
    setState("signed-out", "signedOut");
    $("sign-in-error").hidden = !reason;
    $("sign-in-error").textContent = reason ?? "";
    $("key").value = "";
    $("key").focus();
}

async function signIn(candidate) {
    session?.abort();
    const mine = new AbortController();
    session = mine;
    generation = null;
    setState("connecting", "connecting");
    try {
        await follow({
            path: "/v1/stream?view=rows&after=latest", key: candidate, signal: mine.signal,
            onMessage: take,
            onOpen: () => {
                const isNew = me === null;
                keepKey(candidate);
                setState("live", "connected");
                showProblem(null);
                if (isNew) enter();
                else board.refresh();
            },
            onRestored: () => board.reload(),
            onLost: () => {
                setState("waiting", "reconnecting");
                showProblem(t("connectionLost"));
            },
        });
    } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (session === mine) signOut(error.message);
    }
}

async function enter() {
    attention.start();
    route();
    try {
        me = await read("/v1/me");
        $("tenant").hidden = false;
        setText($("tenant"), me.tenant);
    } catch {
        // The stream says when the key or the connection is gone.
    }
}

function take({ event, data }) {
    const value = JSON.parse(data);
    if (event === "ready") setServerTime(value.now);
    if (event === "ready" || event === "generation") {
        // Folded anew, all that is shown may be otherwise.
        if (generation !== null && generation !== value.generation) board.reload();
        generation = value.generation;
    } else if (event === "row") {
        board.take(value.row);
        page?.take(value.row);
    } else if (event === "removed") {
        board.refresh();
    }
}

/** Shows what the address says. */
function route() {
    if (session === null) return;
    const address = new URLSearchParams(location.search);
    const id = address.get("activity");
    $("board").hidden = id !== null;
    $("activity").hidden = id === null;
    if (id === null) {
        page?.close();
        document.title = "Islet";
        board.show(address);
    } else {
        board.pause();
        openPage(id, address);
    }
}

async function openPage(id, address) {
    if (!page) {
        const { ActivityPage } = await import("./activity.js");
        page ??= new ActivityPage({ go, can: (scope) => me?.scopes.includes(scope) ?? false });
    }
    // Somebody may have gone on meanwhile.
    if (new URLSearchParams(location.search).get("activity") === id) page.open(id, address);
}

/** Links within the page need no reload; those for a new tab are the browser's. */
function followLink(event) {
    const anchor = event.target.closest("a[href]");
    const isPlain = !event.defaultPrevented && event.button === 0
        && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (!anchor || !isPlain || anchor.download || anchor.pathname !== "/dashboard") return;
    if (anchor.hash) return;
    event.preventDefault();
    const isElsewhere = anchor.search !== location.search;
    go(anchor.pathname + anchor.search);
    if (isElsewhere && !anchor.dataset.stay) {
        window.scrollTo(0, 0);
        $("main").focus({ preventScroll: true });
    }
}

function onKey(event) {
    const isTyping = event.target.closest("input, select, textarea, dialog[open]");
    if (event.key === "Escape" && event.target === $("words")) $("words").blur();
    if (isTyping || event.metaKey || event.ctrlKey || event.altKey || session === null) return;
    if (event.key === "?") $("keys").showModal();
    else if (event.key === "/" && !$("board").hidden) $("words").focus();
    else if (event.key === "j" && !$("board").hidden) board.move(1);
    else if (event.key === "k" && !$("board").hidden) board.move(-1);
    else if (event.key === "Escape" && !$("activity").hidden) history.back();
    else if (event.key === "Escape") document.activeElement.blur();
    else return;
    event.preventDefault();
}

$("sign-in").addEventListener("submit", (event) => {
    event.preventDefault();
    $("sign-in-error").hidden = true;
    signIn($("key").value.trim());
    $("key").value = "";
});
$("sign-out").addEventListener("click", () => signOut(null));
document.addEventListener("click", followLink);
document.addEventListener("keydown", onKey);
addEventListener("popstate", route);
setInterval(tick, 1000);

await applySettings(() => {
    setState(document.body.dataset.state, {
        live: "connected", connecting: "connecting", waiting: "reconnecting",
    }[document.body.dataset.state] ?? "signedOut");
    attention.draw();
    board.redraw();
    page?.redraw();
});
if (key()) signIn(key());
else setState("signed-out", "signedOut");
