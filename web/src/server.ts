// SPDX-License-Identifier: Apache-2.0
// What the live page asks its server. The token comes in the part of the address that browsers keep
// to themselves, stays with this tab, and goes along as a header: no other site's page can send it.

const KEPT = "tidegauge-token";
const AGAIN_MS = 1000;
const LONGEST_AGAIN_MS = 5000;
// A server that is there sends something every five seconds.
const SILENCE_MS = 12_000;
// A server that was just started may not have found its jobs yet.
const FOUND_WITHIN_MS = 30_000;

/** Takes the token out of the address, where there is one. */
export function takeToken(): void {
  const parts = new URLSearchParams(location.hash.slice(1));
  const token = parts.get("token");
  if (token === null) return;
  sessionStorage.setItem(KEPT, token);
  parts.delete("token");
  const rest = parts.toString();
  history.replaceState(null, "", location.pathname + (rest ? `#${rest}` : ""));
}

export const hasToken = () => sessionStorage.getItem(KEPT) !== null;

export class Refused extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

export async function ask(path: string, options: RequestInit = {}): Promise<Response> {
  const headers = { ...(options.headers as Record<string, string> | undefined), Authorization: `Bearer ${sessionStorage.getItem(KEPT) ?? ""}` };
  const response = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit", redirect: "error" });
  if (!response.ok) throw new Refused(response.status, (await response.text()).trim());
  return response;
}

export const askJson = async <T>(path: string) => (await (await ask(path)).json()) as T;

/** Events as they come, out of the text of a stream (docs/serve.md): an id and one line of data each. */
export class EventReader {
  private text = "";

  take(more: string): { id: string; data: string }[] {
    this.text += more;
    const blocks = this.text.split("\n\n");
    this.text = blocks.pop() ?? "";
    return blocks.flatMap((block) => {
      const field = (name: string) => block.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const [id, data] = [field("id"), field("data")];
      return id !== undefined && data !== undefined ? [{ id, data }] : [];
    });
  }
}

export type Connection = "connecting" | "live" | "lost";
export interface Follower<T> {
  /** `fresh`: the server was started since, and what it told before no longer counts. */
  news: (value: T, fresh: boolean) => void;
  state: (state: Connection) => void;
  refused: (error: Refused) => void;
}

/** Follows a stream until it is told to stop: comes back when the connection breaks, and rests while nobody looks. */
export function follow<T>(path: string, follower: Follower<T>): () => void {
  let over = false;
  let last = "";
  let wait = AGAIN_MS;
  let missingSince = 0;
  let current = new AbortController();

  const read = async () => {
    current = new AbortController();
    const { signal } = current;
    let silence = 0;
    const listen = () => {
      clearTimeout(silence);
      silence = window.setTimeout(() => current.abort(), SILENCE_MS);
    };
    try {
      listen();
      const response = await ask(path, { signal, headers: last ? { "Last-Event-ID": last } : {} });
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      const events = new EventReader();
      follower.state("live");
      wait = AGAIN_MS;
      missingSince = 0;
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        listen();
        const latest = events.take(value).pop();
        if (!latest) continue;
        const boot = (id: string) => id.slice(0, id.lastIndexOf("-"));
        const fresh = last !== "" && boot(last) !== boot(latest.id);
        last = latest.id;
        follower.news(JSON.parse(latest.data) as T, fresh);
      }
    } finally {
      clearTimeout(silence);
    }
  };
  /** What was there before the server was started again. */
  const mayComeBack = (error: Refused) => {
    if (error.status !== 404 || last === "") return false;
    missingSince ||= performance.now();
    return performance.now() - missingSince < FOUND_WITHIN_MS;
  };
  const run = async () => {
    while (!over && !document.hidden) {
      try {
        await read();
      } catch (error) {
        if (error instanceof Refused && error.status !== 503 && !mayComeBack(error)) {
          over = true;
          follower.refused(error);
        }
      }
      if (over || document.hidden) return;
      follower.state("lost");
      await new Promise((done) => setTimeout(done, wait));
      wait = Math.min(LONGEST_AGAIN_MS, wait * 1.5);
    }
  };
  // A browser has six connections to a server for all of its tabs.
  let running = false;
  const start = () => {
    if (running || over || document.hidden) return;
    running = true;
    void run().finally(() => {
      running = false;
      start();
    });
  };
  const turn = () => {
    if (document.hidden) current.abort();
    else start();
  };
  document.addEventListener("visibilitychange", turn);
  follower.state("connecting");
  start();
  return () => {
    over = true;
    document.removeEventListener("visibilitychange", turn);
    current.abort();
  };
}
