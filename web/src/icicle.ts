// SPDX-License-Identifier: Apache-2.0
// A tree as an icicle, its root on top: width is bytes, colour is how much of them has grown. Own canvas: frames lie in flat arrays,
// sorted by place, so that only what is seen is drawn, however many there are. For what objects are held by, and for call stacks.
import { h } from "./dom";
import { growth, size } from "./format";
import { lowerBound } from "./levels";
import { onColours, palette } from "./theme";
import type { Branch } from "./treegrid";

const ROW_PX = 24;
const GAP_PX = 1;
const LEAST_PX = 0.6; // narrower ones are drawn together
const LABEL_PX = 34;
export const MOST_ROWS = 24;
const MOST_LETTERS = 200;
const FEWEST_LETTERS = 4;
const STEPS = 5; // of the ramp
const WORTH_A_COLOUR = 0.02;
const FAINT = 0.3; // what a search did not find

export type Measure = "held" | "grew";

interface Frame { branch: Branch; parent: number; depth: number; from: number; to: number; bytes: number; children: number[] }

/** Bytes of a branch by the measure; what shrank has no width of its own. */
const widthOf = (branch: Branch, measure: Measure): number => {
  if (measure === "held") return Math.max(0, branch.bytes);
  if (branch.children.length === 0) return Math.max(0, branch.grown ?? 0);
  return branch.children.reduce((sum, child) => sum + widthOf(child, measure), Math.max(0, branch.grownItself ?? 0));
};

/** Frames in the order of a walk, places from 0 to 1. */
export function framesOf(root: Branch, measure: Measure): Frame[] {
  const frames: Frame[] = [];
  const total = widthOf(root, measure) || 1;
  const put = (branch: Branch, parent: number, depth: number, from: number): number => {
    const bytes = widthOf(branch, measure);
    const index = frames.length;
    const frame: Frame = { branch, parent, depth, from, to: from + bytes / total, bytes, children: [] };
    frames.push(frame);
    let at = from;
    if (depth + 1 < MOST_ROWS) {
      for (const child of branch.children) {
        const made = put(child, index, depth + 1, at);
        at = frames[made].to;
        frame.children.push(made);
      }
    }
    return index;
  };
  put(root, -1, 0, 0);
  return frames;
}

export const rampLegend = () => h("span", { class: "ramp small" }, "grew by none of it", ...Array.from({ length: STEPS }, (_, i) => h("i", { class: `ramp-${i}` })), "all of it");

/** Light text on dark colours, dark text on light ones. */
function inkOn(colour: string): string {
  const [r, g, b] = [1, 3, 5].map((i) => Number.parseInt(colour.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.19 ? "#0E1F29" : "#FFFFFF";
}

/** The name with its size, the name alone, or as much of it as there is room for. */
function fitted(pen: CanvasRenderingContext2D, name: string, bytes: string, width: number): string {
  const whole = `${name}  ${bytes}`;
  if (name.length < MOST_LETTERS && pen.measureText(whole).width <= width) return whole;
  const letters = Math.floor((width / pen.measureText(name.slice(0, MOST_LETTERS)).width) * Math.min(name.length, MOST_LETTERS));
  if (letters >= name.length) return name;
  return letters < FEWEST_LETTERS ? "" : `${name.slice(0, letters - 1)}…`;
}

const nameOf = ({ branch, depth }: Frame) => (depth === 0 ? "all" : branch.label || branch.type || "itself");

export class Icicle {
  readonly element: HTMLElement;
  private canvas = h("canvas", { "aria-hidden": "true" });
  private readout = h("output", { class: "readout", role: "status" });
  private tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  private frames: Frame[] = [];
  private rows: { froms: Float64Array; frames: Int32Array }[] = [];
  private zoomed = 0;
  private current = 0;
  private measure: Measure = "held";
  private wanted = "";

  constructor(label: string, private what: string) {
    const stage = h("div", { class: "stage", tabindex: "0", role: "application", "aria-label": `${label}. Arrow keys walk, Enter zooms in, Escape out.` }, this.canvas, this.tip);
    this.element = h("div", { class: "icicle" }, stage, this.readout);
    stage.addEventListener("keydown", (event) => this.key(event));
    stage.addEventListener("focus", () => this.say(this.current));
    stage.addEventListener("blur", () => this.draw());
    this.canvas.addEventListener("mousemove", (event) => this.hover(event));
    this.canvas.addEventListener("mouseleave", () => this.point(-1));
    this.canvas.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
    onColours(() => this.draw());
  }

  private get stage(): HTMLElement {
    return this.element.firstChild as HTMLElement;
  }

  show(root: Branch, measure: Measure): void {
    this.measure = measure;
    this.frames = framesOf(root, measure);
    const deepest = this.frames.reduce((most, frame) => Math.max(most, frame.depth), 0);
    this.rows = Array.from({ length: deepest + 1 }, (_, depth) => {
      const all = this.frames.flatMap((frame, i) => (frame.depth === depth && frame.to > frame.from ? [i] : []));
      return { froms: Float64Array.from(all, (i) => this.frames[i].from), frames: Int32Array.from(all) };
    });
    this.zoomed = 0;
    this.current = 0;
    this.readout.textContent = "";
    this.draw();
  }

  /** What is not called so is drawn faintly. */
  search(text: string): void {
    if (text === this.wanted) return;
    this.wanted = text;
    this.draw();
    if (text === "") {
      this.readout.textContent = "";
      return;
    }
    const found = this.frames.flatMap((frame, i) => (i > 0 && frame.to > frame.from && this.isWanted(frame) ? [i] : []));
    const outermost = found.filter((index) => {
      for (let up = this.frames[index].parent; up > 0; up = this.frames[up].parent) if (this.isWanted(this.frames[up])) return false;
      return true;
    });
    this.readout.textContent = `${found.length} found · ${size(outermost.reduce((sum, index) => sum + this.frames[index].bytes, 0))}`;
  }

  private isWanted(frame: Frame): boolean {
    return this.wanted === "" || `${nameOf(frame)} ${frame.branch.type}`.toLowerCase().includes(this.wanted);
  }

  private pixels(): { width: number; ratio: number; place: (share: number) => number } {
    const width = this.stage.clientWidth;
    const { from, to } = this.frames[this.zoomed];
    return { width, ratio: devicePixelRatio || 1, place: (share) => ((share - from) / Math.max(1e-12, to - from)) * width };
  }

  private draw(): void {
    if (this.frames.length === 0 || this.stage.clientWidth === 0) return;
    const { width, ratio, place } = this.pixels();
    const height = this.rows.length * ROW_PX;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const pen = this.canvas.getContext("2d")!;
    pen.scale(ratio, ratio);
    pen.font = '550 12px "Inter Variable", system-ui, sans-serif';
    pen.textBaseline = "middle";
    const colours = palette();
    const ramp = Array.from({ length: STEPS }, (_, i) => colours.of(`ramp-${i}`));
    const { from, to } = this.frames[this.zoomed];
    for (const row of this.rows) {
      let last = -1;
      const end = lowerBound(row.froms, to - 1e-12);
      for (let i = Math.max(0, lowerBound(row.froms, from) - 1); i < end; i += 1) {
        const frame = this.frames[row.frames[i]];
        if (frame.to <= from) continue;
        const left = Math.max(0, place(frame.from));
        const right = Math.min(width, place(frame.to));
        if (right - last < LEAST_PX) continue;
        last = right;
        this.drawFrame(pen, frame, left, right, ramp);
      }
    }
    if (document.activeElement === this.stage) this.outline(pen, this.current, colours.of("ink"));
  }

  private colourOf(frame: Frame, ramp: string[]): string {
    if (this.measure === "grew" || frame.branch.grown === null || frame.branch.bytes <= 0) return ramp[0];
    const share = Math.min(1, Math.max(0, frame.branch.grown / frame.branch.bytes));
    return ramp[Math.max(share > WORTH_A_COLOUR ? 1 : 0, Math.round(share * (STEPS - 1)))];
  }

  private drawFrame(pen: CanvasRenderingContext2D, frame: Frame, left: number, right: number, ramp: string[]): void {
    const top = frame.depth * ROW_PX;
    const width = Math.max(LEAST_PX, right - left - GAP_PX);
    const colour = this.colourOf(frame, ramp);
    pen.globalAlpha = this.isWanted(frame) ? 1 : FAINT;
    pen.fillStyle = colour;
    pen.fillRect(left, top, width, ROW_PX - GAP_PX);
    if (width < LABEL_PX) {
      pen.globalAlpha = 1;
      return;
    }
    pen.fillStyle = inkOn(colour);
    pen.fillText(fitted(pen, nameOf(frame), size(frame.bytes), width - 12), left + 6, top + ROW_PX / 2);
    pen.globalAlpha = 1;
  }

  private outline(pen: CanvasRenderingContext2D, index: number, colour: string): void {
    const frame = this.frames[index];
    const { width, place } = this.pixels();
    const left = Math.max(0, place(frame.from));
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.strokeRect(left + 1, frame.depth * ROW_PX + 1, Math.max(2, Math.min(width, place(frame.to)) - left - 3), ROW_PX - 3);
  }

  private textOf(index: number): string {
    const frame = this.frames[index];
    const { branch } = frame;
    const all = this.frames[0].bytes || 1;
    return [
      nameOf(frame), ...(branch.type && branch.label ? [branch.type] : []), size(branch.bytes), `${((100 * frame.bytes) / all).toFixed(frame.bytes / all < 0.1 ? 1 : 0)} % of ${this.measure === "grew" ? "what grew" : this.what}`,
      ...(branch.grown !== null ? [`grew ${growth(branch.grown)}`] : []),
    ].join(" · ");
  }

  private say(index: number): void {
    this.current = index;
    const { from, to } = this.frames[index];
    while (this.zoomed > 0 && (from < this.frames[this.zoomed].from || to > this.frames[this.zoomed].to)) this.zoomed = this.frames[this.zoomed].parent;
    this.readout.textContent = this.textOf(index);
    this.draw();
  }

  private frameAt(event: MouseEvent): number {
    const box = this.canvas.getBoundingClientRect();
    const { width } = this.pixels();
    const { from, to } = this.frames[this.zoomed];
    const row = this.rows[Math.floor((event.clientY - box.top) / ROW_PX)];
    if (!row) return -1;
    const share = from + ((event.clientX - box.left) / width) * (to - from);
    const i = lowerBound(row.froms, share + 1e-15) - 1;
    const found = i < 0 ? -1 : row.frames[i];
    return found >= 0 && this.frames[found].to >= share ? found : -1;
  }

  private hover(event: MouseEvent): void {
    this.point(this.frameAt(event), event);
  }

  private point(index: number, event?: MouseEvent): void {
    this.tip.hidden = index < 0;
    if (index < 0 || !event) return;
    const box = this.stage.getBoundingClientRect();
    this.tip.replaceChildren(h("bdi", {}, this.textOf(index)));
    this.tip.style.left = `${Math.min(event.clientX - box.left + 12, Math.max(0, box.width - this.tip.offsetWidth))}px`;
    this.tip.style.top = `${(this.frames[index].depth + 1) * ROW_PX + 4}px`;
    this.draw();
    this.outline(this.canvas.getContext("2d")!, index, palette().of("ink"));
  }

  private zoom(index: number): void {
    this.zoomed = index;
    this.say(index);
  }

  private click(event: MouseEvent): void {
    const index = this.frameAt(event);
    if (index >= 0) this.zoom(index === this.zoomed ? Math.max(0, this.frames[index].parent) : index);
  }

  private key(event: KeyboardEvent): void {
    const frame = this.frames[this.current];
    const wide = (index: number) => this.frames[index].to > this.frames[index].from;
    const siblings = frame.parent < 0 ? [this.current] : this.frames[frame.parent].children.filter(wide);
    const beside = (by: number) => siblings[Math.min(siblings.length - 1, Math.max(0, siblings.indexOf(this.current) + by))];
    const acts: Record<string, () => void> = {
      ArrowDown: () => this.say(frame.children.filter(wide)[0] ?? this.current),
      ArrowUp: () => this.say(Math.max(0, frame.parent)),
      ArrowLeft: () => this.say(beside(-1)),
      ArrowRight: () => this.say(beside(1)),
      Home: () => this.say(0),
      Enter: () => this.zoom(this.current),
      Escape: () => this.zoom(0),
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }
}
