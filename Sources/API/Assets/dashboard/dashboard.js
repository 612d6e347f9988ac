import { Card } from "./cards.js";
import { setServerTime, tick } from "./clocks.js";
import { Overview } from "./overview.js";
import { Refusal, follow } from "./stream.js";

/** Only this tab's memory: gone when the tab is, and never part of an address. */
const STORED_KEY = "islet-key";
/** More cards than this help nobody and slow the page down. */
const CARDS_MAX = 200;
const DRAW_DELAY_MS = 50;
/** So that a word is not searched for letter by letter. */
const TYPING_MS = 300;
const HISTORY_ROWS = 10;

const $ = (id) => document.getElementById(id);
const cards = new Map();
/** Changes that came since the page was last drawn, newest per activity. */
const waiting = new Map();
let session = null;
let isCaughtUp = false;
/** Of the snapshots that are shown; null before the stream has said which. */
let generation = null;
let drawTimer = null;
let typingTimer = null;
const overview = new Overview(read, offerKinds);

function setState(state, text) {
    document.body.dataset.state = state;
    $("status-text").textContent = text;
    const isSignedIn = state !== "signed-out";
    $("sign-in").hidden = isSignedIn;
    $("board").hidden = !isSignedIn;
    $("sign-out").hidden = !isSignedIn;
}

function showProblem(text) {
    $("problem").hidden = !text;
    $("problem").textContent = text ?? "";
}

function signOut(reason) {
    sessionStorage.removeItem(STORED_KEY);
    session?.abort();
    session = null;
    clear();
    overview.clear();
    $("search").reset();
    setState("signed-out", "Signed out");
    $("sign-in-error").hidden = !reason;
    $("sign-in-error").textContent = reason ?? "";
    $("key").value = "";
    $("key").focus();
}

function clear() {
    cards.clear();
    waiting.clear();
    isCaughtUp = false;
    generation = null;
    $("cards").replaceChildren();
    showProblem(null);
    draw();
}

async function signIn(key) {
    session?.abort();
    const mine = new AbortController();
    session = mine;
    clear();
    setState("connecting", "Connecting");
    try {
        await follow({
            path: streamPath(), key, signal: mine.signal, onMessage: take,
            onOpen: () => {
                sessionStorage.setItem(STORED_KEY, key);
                setState("live", "Live");
                showProblem(null);
            },
            onRestored: clear,
            onLost: () => {
                setState("waiting", "Reconnecting");
                showProblem("The connection is lost. What you see may be out of date; trying again.");
            },
        });
    } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (session === mine) signOut(error.message);
    }
}

function take({ event, data }) {
    const value = JSON.parse(data);
    const isOther = generation !== null && generation !== value.generation;
    if (event === "generation" || (event === "ready" && isOther)) {
        // All activities were folded anew: what is shown may be otherwise now.
        search();
        return;
    }
    if (event === "ready") {
        generation = value.generation;
        setServerTime(value.now);
        isCaughtUp = true;
        overview.refresh();
    } else if (event === "activity") {
        waiting.set(value.activity.id, value);
        if (isCaughtUp) overview.take(value.activity);
    } else if (event === "removed") {
        waiting.delete(value.id);
        cards.delete(value.id);
        overview.refresh();
    } else {
        return;
    }
    drawTimer ??= setTimeout(draw, DRAW_DELAY_MS);
}

function draw() {
    drawTimer = null;
    const isNews = isCaughtUp && cards.size > 0;
    for (const [id, change] of waiting) {
        let card = cards.get(id);
        if (!card) cards.set(id, (card = new Card(loadHistory)));
        card.show(change, isNews);
    }
    waiting.clear();
    arrange();
    tick();
}

function arrange() {
    const phase = document.querySelector("input[name=phase]:checked").value;
    const all = [...cards.values()].sort(Card.compare);
    const matching = all.filter((card) => phase === "all" || card.activity.phase === phase);
    const shown = matching.slice(0, CARDS_MAX);
    place(shown.map((card) => card.element));
    const count = (name) => all.filter((card) => card.activity.phase === name).length;
    $("counts").textContent = all.length === 0 ? "" : `${count("live")} live, ${all.length} in all`;
    $("loading").hidden = isCaughtUp || all.length > 0;
    $("empty").hidden = !isCaughtUp || shown.length > 0;
    const isFiltered = streamPath() !== "/v1/stream";
    const isNone = all.length === 0 && !isFiltered;
    $("empty-title").textContent = isNone
        ? "No activities yet" : isFiltered ? "Nothing found" : `Nothing ${phase}`;
    $("empty-text").textContent = isNone
        ? "The first event that is posted for an activity makes it appear here."
        : "Choose another filter to see the other activities.";
    $("more").hidden = shown.length === matching.length;
    $("more").textContent = `${shown.length} of ${matching.length} are shown.`;
}

/** Moves only what is out of place, so that focus and open details survive. */
function place(elements) {
    const list = $("cards");
    elements.forEach((element, index) => {
        if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
    });
    while (list.children.length > elements.length) list.lastElementChild.remove();
}

/** What the server is asked to leave out; phases are chosen on the page. */
function streamPath() {
    const filter = new URLSearchParams();
    const words = $("words").value.trim();
    // Without a letter or a digit there is nothing to search for.
    if (/[\p{L}\p{N}]/u.test(words)) filter.set("q", words);
    if ($("kind").value) filter.set("kind", $("kind").value);
    if ($("late").checked) filter.set("late", "true");
    if ($("faulted").checked) filter.set("faulted", "true");
    return filter.size === 0 ? "/v1/stream" : `/v1/stream?${filter}`;
}

function search() {
    clearTimeout(typingTimer);
    const key = sessionStorage.getItem(STORED_KEY);
    if (session && key) signIn(key);
}

function offerKinds(names) {
    const known = new Set([...$("kind").options].map((option) => option.value));
    for (const name of names.filter((each) => !known.has(each))) {
        $("kind").add(new Option(name.replace(/(?<=[a-z])(?=[A-Z])/g, " "), name));
    }
}

async function read(path) {
    const key = sessionStorage.getItem(STORED_KEY);
    const response = await fetch(path, { headers: { Authorization: `Bearer ${key}` } });
    const document = await response.json();
    if (!response.ok) throw new Error(document.detail);
    return document;
}

async function loadHistory(id, version) {
    const after = Math.max(0, version - HISTORY_ROWS);
    const path = `/v1/activities/${encodeURIComponent(id)}/decisions?after=${after}&limit=${HISTORY_ROWS}`;
    return (await read(path)).decisions;
}

$("sign-in").addEventListener("submit", (event) => {
    event.preventDefault();
    $("sign-in-error").hidden = true;
    signIn($("key").value.trim());
    $("key").value = "";
});
$("sign-out").addEventListener("click", () => signOut(null));
$("filter").addEventListener("change", arrange);
$("search").addEventListener("submit", (event) => {
    event.preventDefault();
    search();
});
$("words").addEventListener("input", () => {
    clearTimeout(typingTimer);
    typingTimer = setTimeout(search, TYPING_MS);
});
for (const id of ["kind", "late", "faulted"]) $(id).addEventListener("change", search);
setInterval(tick, 1000);

const stored = sessionStorage.getItem(STORED_KEY);
if (stored) signIn(stored);
else setState("signed-out", "Signed out");
