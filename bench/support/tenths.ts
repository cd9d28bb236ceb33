/** Work in ten equal parts: what it costs more at the end than at the beginning. */
import { type Figure, figure } from './report.ts';

const TENTHS = 10;

/** Does work for each tenth of `count` items. Resolves with the microseconds of an item in each tenth, as `costMs` counts them. */
export async function inTenths(
  count: number,
  costMs: () => number | Promise<number>,
  work: (from: number, to: number) => unknown,
): Promise<readonly number[]> {
  const costs: number[] = [];
  for (let tenth = 0; tenth < TENTHS; tenth += 1) {
    const [from, to] = [0, 1].map((more) => Math.floor(((tenth + more) * count) / TENTHS));
    const before = await costMs();
    await work(from ?? 0, to ?? 0);
    costs.push((((await costMs()) - before) * 1000) / ((to ?? 0) - (from ?? 0)));
  }
  return costs;
}

/** The cost of an item, and how much more the last ones cost. */
export function growthFigures(what: string, costs: readonly number[]): readonly Figure[] {
  const [first = 0, second = 0] = costs;
  const last = costs.at(-1) ?? 0;
  return [
    figure(`${what}, each`, costs, 'us'),
    // The first tenth also compiles.
    figure(`${what}, last tenth compared with the second`, [last / (second || first)], 'times'),
  ];
}

/** Processor time of all threads of this process. */
export function ownProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
