/** Imports the time for which finished runs are kept. A server has one time for all runs, with their files. */
import { isEntries, listOf, numberOf, textOf } from '@tutti/manifests/values';
import { configSchema } from '@tutti/server';
import type { ImportPlan } from './import-plan.ts';
import { MEND, Origin } from './origin.ts';
import type { Settings } from './settings.ts';
import type { SourceDocument } from './source-documents.ts';

/** A hundred years, for runs that were kept for ever. */
const FOR_EVER_MINUTES = 52_560_000;
const FOR_EVER_RUNS = 1_000_000_000;
const OLD_DEFAULT_MINUTES = 60;
const MINUTES_BY_DEFAULT = configSchema.properties.retention.properties.minutes.default;

interface Period {
  readonly origin: Origin;
  readonly minutes: number;
  /** Expression that picks runs; null for all. */
  readonly scope: string | null;
}

type Policies = readonly SourceDocument[];

export function importRetention(settings: Settings, policies: Policies, plan: ImportPlan): void {
  const isKnown = settings.has('observer') || policies.length > 0;
  const found = [
    ...policies.flatMap((document) => policiesOf(document, plan)),
    ...periodsOf(settings),
  ];
  importRuns(settings, found, plan);
  for (const setting of settings.of('observer', 'max_retention_period_minutes')) {
    setting.unneeded('It bounded several times; here there is one, retention.minutes.');
  }
  for (const setting of settings.of('localstore', 'retention_period_minutes')) {
    setting.changed('retention.minutes', 'Attachments are kept as long as their run.');
  }
  const [longest] = found
    .filter(({ scope, minutes }) => scope === null || minutes !== FOR_EVER_MINUTES)
    .toSorted((one, other) => other.minutes - one.minutes);
  if (longest !== undefined) plan.set('retention.minutes', longest.minutes);
  else if (isKnown) tellDefault(plan);
  for (const period of found) tellPeriod(period, longest?.minutes ?? MINUTES_BY_DEFAULT);
}

function tellPeriod({ scope, minutes, origin }: Period, all: number): void {
  const kept = `here one time holds for all runs, which are kept ${all} minutes.`;
  if (scope === null && minutes === all) origin.carried('retention.minutes');
  else if (minutes > all) origin.leftOut(`It keeps some runs for ever; ${kept}`, RAISE);
  else {
    const what = scope === null ? 'It is shorter' : 'It is for some runs';
    origin.changed('retention.minutes', `${what}; ${kept}`);
  }
}

const RAISE = 'raise retention.minutes and retention.runs if the disk has room for all runs';

function tellDefault(plan: ImportPlan): void {
  new Origin(plan, 'observer', 'retention_period_minutes').changed(
    'retention.minutes',
    `Nothing sets it: existing servers kept runs ${OLD_DEFAULT_MINUTES} minutes then, this one keeps them a week.`,
    'set retention.minutes for another time',
  );
}

const NO_TIME = 'It is no time.';

function periodsOf(settings: Settings): readonly Period[] {
  return settings.of('observer', 'retention_period_minutes').flatMap((origin) => {
    const minutes = numberOf(origin.value);
    if (minutes !== null && minutes > 0) return [{ origin, minutes, scope: null }];
    origin.leftOut(NO_TIME, 'set retention.minutes to a number above 0');
    return [];
  });
}

const PERIOD_FORM = 'write it as forever, or as days, hours and minutes: 1d12h30m';

function policiesOf({ file, value }: SourceDocument, plan: ImportPlan): readonly Period[] {
  const list = new Origin(plan, file, 'retentionPolicy');
  const policies = listOf(value.retentionPolicy);
  if (policies !== value.retentionPolicy) list.leftOut('It is no list of policies.', MEND);
  return policies.flatMap((item, index): readonly Period[] => {
    const policy = isEntries(item) ? item : {};
    const origin = list.at(textOf(policy.name) ?? String(index));
    const minutes = minutesOf(policy.retentionPeriod);
    if (minutes === null) {
      origin.leftOut(NO_TIME, PERIOD_FORM);
      return [];
    }
    const scope = textOf(policy.scope);
    const isForAll = scope?.toLowerCase() === 'true' || policy.scope === true;
    return [{ origin, minutes, scope: isForAll ? null : scope }];
  });
}

/** Minutes of `forever`, or of a period such as `1d12h30m`. */
function minutesOf(period: unknown): number | null {
  const text = textOf(period);
  if (text?.toLowerCase() === 'forever') return FOR_EVER_MINUTES;
  const parts = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?$/.exec(text ?? '')?.slice(1) ?? [];
  const [days = 0, hours = 0, minutes = 0] = parts.map((part) => Number(part ?? 0));
  return (days * 24 + hours) * 60 + minutes || null;
}

function importRuns(settings: Settings, found: readonly Period[], plan: ImportPlan): void {
  const isForEver = found.some(({ minutes, scope }) => minutes === FOR_EVER_MINUTES && !scope);
  if (isForEver) plan.set('retention.runs', FOR_EVER_RUNS);
  for (const setting of settings.of('observer', 'max_retention_workflow_count')) {
    const runs = numberOf(setting.value);
    if (runs === null || !Number.isInteger(runs) || runs < 1) {
      setting.leftOut('It is no number of runs.', 'set retention.runs to an integer above 0');
    } else setting.carry('retention.runs', runs);
  }
}
