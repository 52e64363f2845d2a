// SPDX-License-Identifier: Apache-2.0
// Text on the chart: with a halo, inside the plot, and never over another text.

export interface Place { x: number; y: number; align: CanvasTextAlign }
interface Box { left: number; right: number; top: number; bottom: number }

const FONT_PX = 11.5;
const HALO_PX = 4;

export class Labels {
  private taken: Box[] = [];

  constructor(private ctx: CanvasRenderingContext2D, private area: Box, private halo: string, private ratio: number) {}

  /** Keeps others away from it. */
  reserve(box: Box): void {
    this.taken.push(box);
  }

  widthOf(text: string): number {
    this.ctx.font = `600 ${FONT_PX * this.ratio}px "Inter Variable", system-ui, sans-serif`;
    return this.ctx.measureText(text).width;
  }

  /** At the first of the places where there is room; those before come first. */
  put(text: string, colour: string, places: Place[]): boolean {
    const { ctx, ratio } = this;
    const width = this.widthOf(text);
    const height = FONT_PX * 1.25 * ratio;
    for (const place of places) {
      let left = place.align === "left" ? place.x : place.align === "right" ? place.x - width : place.x - width / 2;
      left = Math.min(Math.max(left, this.area.left + 4 * ratio), this.area.right - width - 4 * ratio);
      const box = { left, right: left + width, top: place.y - height / 2, bottom: place.y + height / 2 };
      const inside = box.left >= this.area.left && box.top >= this.area.top && box.bottom <= this.area.bottom;
      const free = this.taken.every((other) => box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom);
      if (!inside || !free) continue;
      ctx.save();
      ctx.textAlign = "left";
      ctx.textBaseline = "middle";
      ctx.lineJoin = "round";
      ctx.lineWidth = HALO_PX * ratio;
      ctx.strokeStyle = this.halo;
      ctx.strokeText(text, left, place.y);
      ctx.fillStyle = colour;
      ctx.fillText(text, left, place.y);
      ctx.restore();
      this.taken.push(box);
      return true;
    }
    return false;
  }
}
