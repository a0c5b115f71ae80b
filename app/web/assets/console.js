// The console works without this. With it progress moves by itself, and forms say more while they are filled in.

document.documentElement.classList.add("scripted");

const pageOf = (html) => new DOMParser().parseFromString(html, "text/html");
const main = document.getElementById("main");

// What is shown is replaced by what another page has in its place.
function show(page, focusOn) {
  const hadFocus = main.contains(document.activeElement);
  document.title = page.title;
  main.replaceChildren(...page.getElementById("main").childNodes);
  prepare();
  const place = focusOn ? document.getElementById(focusOn) : hadFocus ? main : null;
  place?.focus({ preventScroll: !focusOn });
}

// ---- Progress: a stream of events; when it is lost, the page is asked for again and again.

class Progress {
  constructor(place) {
    this.place = place;
    this.percent = -1;
    this.told = "";
    this.open();
  }

  open() {
    this.stream = new EventSource(this.place.dataset.live);
    this.stream.addEventListener("snapshot", (event) => this.take(pageOf(event.data).querySelector(".now")));
    this.stream.addEventListener("open", () => this.found());
    this.stream.addEventListener("error", () => {
      // the browser comes back by itself; a stream that stays away, or is refused, is not waited for
      const patience = this.stream.readyState === EventSource.CLOSED ? 0 : 3000;
      this.lost ??= setTimeout(() => this.fall(), patience);
    });
  }

  found() {
    clearTimeout(this.lost);
    this.lost = undefined;
    this.place.querySelector(".offline")?.remove();
  }

  fall() {
    this.stream.close();
    this.poll(3);
  }

  async poll(times) {
    let wait = 5;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
      wait = Number(answer.headers.get("Retry-After")) || 2;
      const page = pageOf(await answer.text());
      if (answer.ok) {
        const now = page.querySelector("#live .now");
        this.found();
        if (!now) return void (page.getElementById("token") ? location.reload() : show(page));
        this.take(now);
      } else this.say_offline();
    } catch {
      this.say_offline();
    }
    if (this.over) return;
    this.timer = setTimeout(() => (times > 1 ? this.poll(times - 1) : this.open()), wait * 1000);
  }

  take(now) {
    // an answer that was overtaken on its way is old news
    if (!now || this.over || Number(now.dataset.percent) < this.percent) return;
    this.percent = Number(now.dataset.percent);
    const bar = this.place.querySelector("progress");
    const next = now.querySelector("progress");
    if (bar && next) {
      // the same bar moves on, where a new one would jump
      bar.value = next.value;
      next.replaceWith(bar);
    }
    this.place.replaceChildren(now);
    this.say(now);
    const doing = now.querySelector("strong").textContent;
    const isNew = this.doing !== undefined && this.doing !== doing;
    this.doing = doing;
    if (["completed", "failed", "cancelled"].includes(now.dataset.state)) this.end();
    // the rest of the page changes with what the export does; but not under the hands of somebody at work there
    else if (isNew && !main.querySelector("details[open], form:focus-within")) this.end();
  }

  say(now) {
    // for those who listen: what it does, and every tenth of the way
    const news = `${now.dataset.state} ${now.querySelector("strong").textContent} ${Math.floor(this.percent / 10)}`;
    if (news !== this.told) document.getElementById("said").textContent = now.dataset.said;
    this.told = news;
  }

  say_offline() {
    if (this.place.querySelector(".offline")) return;
    const note = document.createElement("p");
    note.className = "notice warn offline";
    note.textContent = this.place.dataset.offline;
    this.place.append(note);
  }

  close() {
    this.stream.close();
    clearTimeout(this.timer);
    clearTimeout(this.lost);
    this.lost = undefined;
  }

  // the page as it is now takes the place of this one, and follows anew if there is still something to follow
  async end() {
    this.over = true;
    this.close();
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
    if (answer.ok) show(pageOf(await answer.text()));
  }
}

let progress;

function follow() {
  progress?.close();
  const place = document.getElementById("live");
  progress = place && new Progress(place);
}

// a page that nobody sees keeps no connection: browsers have six for each server
document.addEventListener("visibilitychange", () => {
  if (!progress || progress.over) return;
  progress.close();
  if (!document.hidden) {
    progress.poll(0);
  }
});

// ---- A new export: days beside the range, and the name of a file while it is typed.

function prepareRange() {
  const range = document.querySelector("[data-range]");
  const days = document.querySelector("[data-days]");
  if (!range || !days) return;
  const turn = () => (days.hidden = range.value !== "other");
  range.addEventListener("change", turn);
  turn();
}

function prepareExample() {
  const field = document.querySelector("[data-example]");
  if (!field) return;
  let timer;
  const ask = async () => {
    const kind = field.form.elements.document_type.value;
    const query = new URLSearchParams({ document_type: kind, filename_pattern: field.value });
    const answer = await fetch(`${field.dataset.example}?${query}`);
    if (!answer.ok) return;
    const code = document.createElement("code");
    code.textContent = await answer.text();
    document.getElementById("example").replaceChildren(code);
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => ask().catch(() => {}), 250);
  };
  field.addEventListener("input", soon);
  field.form.addEventListener("change", (event) => event.target.name === "document_type" && soon());
}

// ---- Forms that are sent once, and files on their way.

function prepareForms() {
  for (const form of document.querySelectorAll("form[data-once]")) {
    form.addEventListener("submit", () => {
      // after the browser has read which button was pressed
      setTimeout(() => document.querySelectorAll("button").forEach((button) => (button.disabled = true)));
    });
  }
  document.querySelector("form[data-upload]")?.addEventListener("submit", upload);
}

function upload(event) {
  event.preventDefault();
  const form = event.target;
  const bar = form.querySelector(".bar");
  const button = form.querySelector("button");
  const request = new XMLHttpRequest();
  const tell = (percent) => {
    bar.querySelector("progress").value = percent;
    bar.querySelector("output").textContent = `${percent} %`;
  };
  const again = () => {
    bar.hidden = true;
    button.disabled = false;
  };
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "text/html");
  request.upload.addEventListener("progress", (sent) => {
    if (sent.lengthComputable) tell(Math.floor((99 * sent.loaded) / sent.total));
  });
  request.upload.addEventListener("load", () => {
    document.getElementById("said").textContent = form.dataset.reading;
  });
  request.addEventListener("load", () => show(pageOf(request.responseText), "report"));
  request.addEventListener("error", again);
  request.addEventListener("abort", again);
  bar.hidden = false;
  button.disabled = true;
  document.getElementById("said").textContent = form.dataset.sending;
  tell(0);
  request.send(new FormData(form));
}

// a page that comes back from the browser's memory can be used again
addEventListener("pageshow", () => document.querySelectorAll("button").forEach((button) => (button.disabled = false)));

function prepare() {
  follow();
  prepareRange();
  prepareExample();
  prepareForms();
  document.getElementById("errors")?.focus();
}

prepare();
