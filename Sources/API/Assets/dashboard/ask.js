import { button, el } from "./dom.js";
import { t } from "./words.js";

/**
 * Asks before something is done that somebody will notice, in words that say what.
 * @param more what belongs to the question, such as what would change.
 * @returns a promise of whether it is to be done.
 */
export function ask(question, action, ...more) {
    return new Promise((resolve) => {
        const dialog = el("dialog", "ask");
        const title = el("h2", "", question);
        title.id = "ask-title";
        dialog.setAttribute("aria-labelledby", title.id);
        let isWanted = false;
        const press = (text, className, wanted) => button(text, className, () => {
            isWanted = wanted;
            dialog.close();
        });
        const no = press(t("cancel"), "plain", false);
        dialog.append(title, ...more, el("div", "tools", press(action, "danger", true), no));
        dialog.addEventListener("close", () => {
            dialog.remove();
            resolve(isWanted);
        });
        document.body.append(dialog);
        dialog.showModal();
        no.focus();
    });
}
