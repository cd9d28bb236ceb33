/** Axes of numbers: where they begin and end, and where they have their ticks. */
import type { SectionDefinition } from '@tutti/manifests';
import { numberOf } from './field.ts';
import type { AxisModel, Legend } from './section-model.ts';

type AxisDefinition = NonNullable<SectionDefinition['secondaryAxis']>;

const TICKS = 5;
const TICKS_MAX = 50;

/** `ticks` are a number of ticks or a list of their places. The axis covers all values unless it has its own ends. */
export function axisModel(
  definition: AxisDefinition | undefined,
  values: { readonly min: number; readonly max: number },
  title: string,
): AxisModel {
  const wanted = definition?.ticks;
  const count = Math.min(TICKS_MAX, Math.max(1, numberOf(wanted) ?? TICKS));
  const from = definition?.min ?? Math.min(0, values.min);
  const to = definition?.max ?? values.max;
  const step = niceStep(Math.max(to - from, Number.MIN_VALUE) / count);
  const min = definition?.min ?? Math.floor(from / step) * step;
  const max = Math.max(definition?.max ?? Math.ceil(to / step) * step, min + step);
  const ticks = Array.isArray(wanted) ? placesIn(wanted, min, max) : ticksBetween(min, max, step);
  return { title: definition?.title ?? title, min, max, ticks };
}

/** 1, 2 or 5 and noughts. */
function niceStep(raw: number): number {
  if (raw < 1e-9) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5].find((each) => each * magnitude >= raw * 0.999) ?? 10;
  return factor * magnitude;
}

function ticksBetween(min: number, max: number, step: number): readonly number[] {
  const count = Math.min(TICKS_MAX, Math.floor((max - min) / step + 1e-9));
  return Array.from({ length: count + 1 }, (_, index) =>
    Number((min + index * step).toPrecision(12)),
  );
}

function placesIn(wanted: readonly unknown[], min: number, max: number): readonly number[] {
  return wanted
    .slice(0, TICKS_MAX)
    .map(numberOf)
    .filter((place) => place !== null)
    .filter((place) => place >= min && place <= max);
}

/** `false` and `none` are no legend; a text, or its `title`, is the title of one. */
export function legendOf(definition: unknown): Legend {
  if (definition === false || definition === 'none' || definition === 'false') return null;
  if (typeof definition === 'string' && definition !== 'true') return { title: definition };
  if (typeof definition !== 'object' || definition === null) return { title: '' };
  const { title, show } = definition as { title?: unknown; show?: unknown };
  return show === false ? null : { title: typeof title === 'string' ? title : '' };
}
