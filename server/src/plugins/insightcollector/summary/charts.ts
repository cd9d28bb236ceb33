/** Sections of the kinds `ProgressBar`, `BarChart` and `ScatterChart`. */
import type { SectionDefinition } from '@tutti/manifests';
import { axisModel, legendOf } from './axis.ts';
import { type Collector, itemsShown, shortened } from './collector.ts';
import { type Field, numberOf, readField, textOf } from './field.ts';
import { type Aggregate, Groups, sumOf } from './groups.ts';
import { NAME_KEYS, VALUE_KEYS } from './order-keys.ts';
import type { BarChartModel, ProgressModel, ScatterModel } from './section-model.ts';
import { SUMMARY_LIMITS } from './summary-limits.ts';
import { kindOfField } from './table.ts';

const fieldOf = (text: unknown): Field | null =>
  typeof text === 'string' ? readField(text) : null;
const isDurationField = (text: unknown): boolean =>
  typeof text === 'string' && kindOfField(text) === 'duration';

function createGroups({ orderBy }: SectionDefinition): Groups {
  const key = orderBy?.key;
  const isOwn = key === undefined || VALUE_KEYS.has(key) || NAME_KEYS.has(key);
  return new Groups(isOwn ? null : readField(key));
}

function shownOf({ maxItems = SUMMARY_LIMITS.groupsShown }: SectionDefinition): number {
  return itemsShown(maxItems, SUMMARY_LIMITS.groupsShownMax);
}

/** Jobs and tags have counts of outcomes, test cases are counted by theirs. */
const defaultData = ({ datasource }: SectionDefinition): string =>
  datasource === 'testcases' ? 'test.outcome' : 'status.testCaseStatusSummary';

/** A bar for each group, of pieces for each value of `data`. */
export function collectProgress(definition: SectionDefinition): Collector {
  const data = typeof definition.data === 'string' ? definition.data : defaultData(definition);
  const [group, value] = [fieldOf(definition.groupBy), readField(data)];
  const aggregate = definition.aggregateFunction ?? 'count';
  const groups = createGroups(definition);
  let isCounted = true;
  return {
    add(item) {
      const found = value(item);
      const label = textOf(group?.(item));
      if (typeof found === 'object' && found !== null && !Array.isArray(found)) {
        isCounted = false;
        addCounts(groups, label, found, item);
      } else if (aggregate === 'count') groups.add(label, textOf(found) || '(none)', 1, item);
      else {
        const number = numberOf(found);
        if (number !== null) groups.add(label, data, number, item);
      }
    },
    model: () => {
      if (groups.size === 0) return null;
      const effective: Aggregate = isCounted ? aggregate : 'sum';
      const { bars, left } = groups.bars(effective, definition.orderBy, shownOf(definition));
      const isWhole = aggregate === 'count' || !isCounted;
      return {
        kind: 'ProgressBar',
        categories: groups.categories(),
        bars,
        left,
        max: isWhole ? null : Math.max(0, ...bars.map(({ values }) => sumOf(values))),
        isDuration: isDurationField(data) && aggregate !== 'count',
        legend: legendOf(definition.legend),
      } satisfies ProgressModel;
    },
  };
}

/** An object of numbers counts by its entries. */
function addCounts(groups: Groups, label: string, counts: object, item: unknown): void {
  for (const [name, count] of Object.entries(counts)) {
    const number = numberOf(count);
    if (number !== null && number > 0) groups.add(label, name, number, item);
  }
}

/** A bar for each value of the primary axis, as long as the aggregate of the secondary one. It has pieces by `groupBy`, if there is one. */
export function collectBars(definition: SectionDefinition): Collector {
  const { primaryAxis, secondaryAxis, groupBy } = definition;
  const [name, value] = [fieldOf(primaryAxis?.data), fieldOf(secondaryAxis?.data)];
  const series = fieldOf(groupBy);
  const groups = createGroups(definition);
  const label = seriesLabel(definition);
  let isNumber = true;
  return {
    add(item) {
      const found = value?.(item);
      const number = numberOf(found);
      if (number === null && found === undefined) return;
      if (number === null) isNumber = false;
      const category = series === null ? label : textOf(series(item)) || '(none)';
      groups.add(textOf(name?.(item)), category, number ?? 0, item);
    },
    model: () =>
      groups.size === 0
        ? null
        : barModel(
            definition,
            groups,
            definition.aggregateFunction ?? (isNumber ? 'sum' : 'count'),
          ),
  };
}

const seriesLabel = ({ secondaryAxis }: SectionDefinition): string =>
  secondaryAxis?.title ?? (textOf(secondaryAxis?.data) || 'value');

function barModel(
  definition: SectionDefinition,
  groups: Groups,
  aggregate: Aggregate,
): BarChartModel {
  const { primaryAxis, secondaryAxis, orientation = 'vertical' } = definition;
  const { bars, left } = groups.bars(aggregate, definition.orderBy, shownOf(definition));
  const lengths = bars.map(({ values }) => sumOf(values));
  const ends = { min: Math.min(0, ...lengths), max: Math.max(0, ...lengths) };
  return {
    kind: 'BarChart',
    categories: groups.categories(),
    bars: primaryAxis?.reversed === true ? bars.toReversed() : bars,
    left,
    orientation,
    primaryTitle: primaryAxis?.title ?? textOf(primaryAxis?.data),
    axis: axisModel(secondaryAxis, ends, seriesLabel(definition)),
    isDuration: isDurationField(secondaryAxis?.data) && aggregate !== 'count',
    legend: definition.groupBy === undefined ? null : legendOf(definition.legend),
  };
}

interface Series {
  count: number;
  readonly points: { x: number; y: number | null }[];
}

/** A point for each item; without a second axis each group is a line of points. */
export function collectScatter(definition: SectionDefinition): Collector {
  const { primaryAxis, secondaryAxis, groupBy } = definition;
  const [group, x] = [fieldOf(groupBy), fieldOf(primaryAxis?.data)];
  const y = fieldOf(secondaryAxis?.data);
  const series = new Map<string, Series>();
  return {
    add(item) {
      const [left, up] = [numberOf(x?.(item)), y === null ? null : numberOf(y(item))];
      if (left === null || (y !== null && up === null)) return;
      const name = shortened(textOf(group?.(item)) || '(none)', SUMMARY_LIMITS.labelLength);
      const label =
        series.has(name) || series.size < SUMMARY_LIMITS.categories - 1 ? name : '(others)';
      const found = series.get(label) ?? { count: 0, points: [] };
      series.set(label, found);
      addPoint(found, { x: left, y: up });
    },
    model: () => (series.size === 0 ? null : scatterModel(definition, series)),
  };
}

/**
 * Beyond the limit, each new point replaces an earlier one. The count alone decides which one, so that the same run has the same picture.
 */
function addPoint(series: Series, point: { x: number; y: number | null }): void {
  series.count += 1;
  const room = SUMMARY_LIMITS.points;
  if (series.points.length < room) {
    series.points.push(point);
    return;
  }
  const place = Math.floor(((series.count * 0.618_033_988_749_895) % 1) * series.count);
  if (place < room) series.points[place] = point;
}

function scatterModel(
  definition: SectionDefinition,
  series: ReadonlyMap<string, Series>,
): ScatterModel {
  const { primaryAxis, secondaryAxis, maxItems = SUMMARY_LIMITS.categories } = definition;
  const shown = [...series].slice(0, itemsShown(maxItems, SUMMARY_LIMITS.categories));
  const points = shown.flatMap(([, each]) => each.points);
  const isFlat = secondaryAxis?.data === undefined;
  return {
    kind: 'ScatterChart',
    series: shown.map(([label, { count, points: of }]) => ({ label, count, points: of })),
    left: series.size - shown.length,
    primary: axisModel(primaryAxis, endsOf(points.map(({ x }) => x)), textOf(primaryAxis?.data)),
    secondary: isFlat
      ? null
      : axisModel(secondaryAxis, endsOf(points.map(({ y }) => y ?? 0)), textOf(secondaryAxis.data)),
    isDuration: isDurationField(primaryAxis?.data),
    isSecondaryDuration: isDurationField(secondaryAxis?.data),
    legend: legendOf(definition.legend),
  };
}

function endsOf(values: readonly number[]): { readonly min: number; readonly max: number } {
  const ends = { min: values[0] ?? 0, max: values[0] ?? 0 };
  for (const value of values) {
    ends.min = Math.min(ends.min, value);
    ends.max = Math.max(ends.max, value);
  }
  return ends;
}
