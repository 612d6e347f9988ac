import { endSession, follow, openSession, pause, resumeSession } from "./api.js";
import { Attention } from "./attention.js";
import { Board } from "./board.js";
import { setServerTime, tick, useUTC } from "./clocks.js";
import { $, setText } from "./dom.js";
import { speak, t } from "./words.js";

/** Who is signed in: the tenant and what the key may do. */
let me = null;
let session = null;
/** Of the snapshots that are shown; null before the stream has said which. */
let generation = null;
/** How soon a server that did not answer is asked again who has signed in. */
const RETRY_MS = 2_000;

/** @param isMore whether it goes on with what the newest address began. */
const go = (path, isMore = false) => {
    const isHere = isMore || path === location.pathname + location.search;
    if (isHere) history.replaceState(history.state, "", path);
    else history.pushState({ isFromHere: true }, "", path);
    route();
};
const attention = new Attention();
const board = new Board({ go, leave });
/** The page of one activity, fetched when the first is opened: the list is there sooner without it. */
let page = null;
/** Charts and what operators look after, likewise. */
let office = null;
/** All tabs have the same cookie, so each tells the others when it signs in, and out. */
const tabs = new BroadcastChannel("islet-sign-in");

const can = (scope) => me?.scopes.includes(scope) ?? false;

function setState(state, text) {
    document.body.dataset.state = state;
    setText($("status-text"), t(text));
    const isSignedIn = state !== "signed-out";
    $("sign-in").hidden = isSignedIn;
    for (const id of ["sign-out", "sign-out-all", "nav"]) $(id).hidden = !isSignedIn;
    if (!isSignedIn) for (const id of ["board", "activity", "other", "tenant"]) $(id).hidden = true;
}

/** What is wrong with the connection, and with opening the page that the address says. */
const problems = { connection: null, page: null };

function showProblem(where, text) {
    problems[where] = text;
    setText($("problem"), Object.values(problems).filter(Boolean).join(" "));
    $("problem").hidden = $("problem").textContent === "";
}

/** Ends it here, in other tabs and on the server. */
async function signOut(everywhere) {
    leaveNothing();
    tabs.postMessage("out");
    try {
        await endSession(everywhere);
    } catch (error) {
        if (error.status !== 401 && session === null) leave(t("notSignedOut", error.message));
    }
}

/** Somebody wants to be gone, with what they have typed. */
function leaveNothing() {
    if (session !== null) leave(null);
    office?.clear();
}

function leave(reason) {
    session?.abort();
    session = null;
    me = null;
    generation = null;
    forget();
    showProblem("connection", null);
    setState("signed-out", "signedOut");
    $("sign-in-error").hidden = !reason;
    $("sign-in-error").textContent = reason ?? "";
    $("key").focus();
}

/** What is shown is one tenant's. */
function forget() {
    closeDialogs();
    showProblem("page", null);
    document.title = "Islet";
    attention.stop();
    board.clear();
    page?.close();
    office?.close();
}

/** A question about what is not to be seen any more is answered by no. */
function closeDialogs() {
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
}

function lose(why) {
    setState("waiting", "reconnecting");
    showProblem("connection", `${t("connectionLost")} ${why?.status ? why.message : ""}`.trim());
}

/** @param open gives who has signed in. */
async function signIn(open) {
    const before = me;
    session?.abort();
    const mine = new AbortController();
    session = mine;
    generation = null;
    setState("connecting", "connecting");
    let found;
    try {
        found = await open(mine.signal);
    } catch (error) {
        if (session !== mine) return;
        if (open === resumeSession && error.mayPass) {
            lose(error);
            await pause(RETRY_MS, mine.signal);
            return session === mine ? signIn(open) : undefined;
        }
        if (!error.mayPass) $("key").value = "";
        // Somebody who comes for the first time has not signed in yet, which is no failure.
        return leave(open === resumeSession && error.status === 401 ? null : error.message);
    }
    if (session !== mine) return;
    me = found;
    $("key").value = "";
    if (before && !isSame(before, me)) forget();
    enter();
    let isNew = true;
    try {
        await follow({
            path: "/v1/stream?view=rows&after=latest", signal: mine.signal,
            onMessage: take,
            onOpen: () => {
                setState("live", "connected");
                showProblem("connection", null);
                if (!isNew) reopen();
                isNew = false;
            },
            onReturn: (signal) => recognize(mine, signal),
            onRestored: () => board.reload(),
            onRest: () => setState("waiting", "reconnecting"),
            onLost: lose,
        });
    } catch (error) {
        if (session === mine) leave(error.message);
    }
}

/** What could not be read without a connection is read now. */
function reopen() {
    board.refresh();
    if (problems.page) route();
    else office?.retry();
}

/** Somebody else may be signed in now: what is shown is not theirs. */
async function recognize(mine, signal) {
    const found = await resumeSession(signal);
    if (session === mine && !isSame(found, me)) signIn(async () => found);
}

const isSame = (one, other) =>
    one.tenant === other.tenant && String(one.scopes) === String(other.scopes);

function enter() {
    $("tenant").hidden = false;
    setText($("tenant"), me.tenant);
    attention.start();
    route();
}

function take({ event, data }) {
    const value = JSON.parse(data);
    if (event === "ready") setServerTime(value.now);
    if (event === "ready" || event === "generation") {
        // Folded again, all that is shown may be otherwise.
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
    if (me === null) return;
    closeDialogs();
    showProblem("page", null);
    const address = new URLSearchParams(location.search);
    const view = address.get("view");
    const id = view === null ? address.get("activity") : null;
    $("board").hidden = view !== null || id !== null;
    $("activity").hidden = id === null;
    $("other").hidden = view === null;
    for (const anchor of $("nav").children) {
        const isHere = anchor.dataset.view === (view === null ? "" : view === "charts" ? view : "office");
        anchor.ariaCurrent = isHere ? "page" : null;
    }
    if (id === null) page?.close();
    if (view === null) office?.close();
    if (view !== null || id !== null) {
        board.pause();
        show(view === null ? openPage(id, address) : openOffice(view, address));
    } else {
        document.title = "Islet";
        board.show(address);
    }
}

/** A part may not come while the node is away: it is opened again once the connection is back. */
async function show(opening) {
    const address = location.search;
    try {
        await opening;
    } catch (error) {
        console.warn(error);
        if (location.search === address) showProblem("page", t("notLoaded"));
    }
}

async function openOffice(view, address) {
    if (!office) {
        const { Office } = await import("./office.js");
        office ??= new Office({ go, can, tenant: () => me?.tenant });
    }
    if (new URLSearchParams(location.search).get("view") === view) await office.open(view, address);
}

async function openPage(id, address) {
    if (!page) {
        const { ActivityPage } = await import("./activity.js");
        page ??= new ActivityPage({ can, tenant: () => me?.tenant });
    }
    // Somebody may have gone on meanwhile.
    if (new URLSearchParams(location.search).get("activity") === id) await page.open(id, address);
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
    if (isElsewhere) {
        window.scrollTo(0, 0);
        $("main").focus({ preventScroll: true });
    }
}

function onKey(event) {
    if (event.key === "Escape" && $("settings").open) {
        $("settings").open = false;
        return $("settings").firstElementChild.focus();
    }
    // Firefox leaves the focus where it was when the sign-in goes out of sight.
    const isTyping = event.target.closest("input, select, textarea, dialog[open]")?.checkVisibility()
        || document.querySelector("dialog[open]");
    if (event.key === "Escape" && event.target === $("words")) $("words").blur();
    if (isTyping || event.metaKey || event.ctrlKey || event.altKey || session === null) return;
    if (event.key === "?") $("keys").showModal();
    else if (event.key === "/" && !$("board").hidden) $("words").focus();
    else if (event.key === "j" && !$("board").hidden) board.move(1);
    else if (event.key === "k" && !$("board").hidden) board.move(-1);
    else if (event.key === "Escape" && $("board").hidden) goBack();
    else if (event.key === "Escape") document.activeElement.blur();
    else return;
    event.preventDefault();
}

/**
 * Who comes back from a row's page is on that row again. What came before an address that was opened
 * by itself is elsewhere: from there the way leads to the list.
 */
function goBack() {
    if (!history.state?.isFromHere) return go("/dashboard");
    const id = new URLSearchParams(location.search).get("activity");
    addEventListener("popstate", () => $("board").hidden || board.focus(id), { once: true });
    history.back();
}

/** How a reader likes the page: of no tenant, and nothing secret. */
const NAMES = ["theme", "zone", "language"];

function stored(name) {
    try {
        return localStorage.getItem(`islet-${name}`);
    } catch {
        return null;
    }
}

function keep(name, value) {
    try {
        localStorage.setItem(`islet-${name}`, value);
    } catch {
        // A browser that keeps nothing forgets it with the page.
    }
}

/** @param onChange called when texts or times have to be drawn again. */
async function applySettings(onChange) {
    const values = {
        theme: stored("theme") ?? "system",
        zone: stored("zone") ?? "local",
        language: stored("language") ?? (navigator.language.startsWith("de") ? "de" : "en"),
    };
    const apply = async () => {
        document.documentElement.dataset.theme = values.theme;
        useUTC(values.zone === "utc");
        await speak(values.language);
    };
    for (const name of NAMES) {
        $(name).value = values[name];
        $(name).addEventListener("change", async () => {
            values[name] = $(name).value;
            keep(name, values[name]);
            await apply();
            onChange();
        });
    }
    document.addEventListener("click", (event) => {
        if (!$("settings").contains(event.target)) $("settings").open = false;
    });
    await apply();
}

$("sign-in").addEventListener("submit", (event) => {
    event.preventDefault();
    $("sign-in-error").hidden = true;
    signIn(async () => {
        const found = await openSession($("key").value.trim());
        tabs.postMessage(null);
        return found;
    });
});
$("sign-out").addEventListener("click", () => signOut(false));
$("sign-out-all").addEventListener("click", () => signOut(true));
document.addEventListener("click", followLink);
document.addEventListener("keydown", onKey);
addEventListener("popstate", route);
// What fails now is found out when the stream is opened again.
tabs.addEventListener("message", ({ data }) => {
    if (data === "out") leaveNothing();
    else if (me) recognize(session, session.signal).catch(() => {});
});
// A page that the browser only keeps for going back must not keep one of its few connections.
addEventListener("pagehide", () => session?.abort());
addEventListener("pageshow", (event) => event.persisted && signIn(resumeSession));
setInterval(tick, 1000);

await applySettings(() => {
    setState(document.body.dataset.state, {
        live: "connected", connecting: "connecting", waiting: "reconnecting",
    }[document.body.dataset.state] ?? "signedOut");
    attention.draw();
    board.redraw();
    page?.redraw();
    if (office) show(office.redraw());
});
signIn(resumeSession);
