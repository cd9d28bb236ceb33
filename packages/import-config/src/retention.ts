/** Imports the time for which finished runs are kept. A server has one time for all runs, with their files. */
import { entriesOf, listOf, numberOf, textOf } from '@tutti/manifests/values';
import { configSchema } from '@tutti/server';
import { MEND, Place } from './place.ts';
import type { Settings } from './settings.ts';
import type { SourceDocument } from './source-documents.ts';

/** A hundred years, for runs that were kept for ever. */
const FOR_EVER_MINUTES = 52_560_000;
const FOR_EVER_RUNS = 1_000_000_000;
const MINUTES = 'retention.minutes';

interface Period {
  readonly place: Place;
  readonly minutes: number;
  /** False for a period of some runs. */
  readonly isForAll: boolean;
}

/** `documents` have policies. */
export function importRetention(settings: Settings, documents: readonly SourceDocument[]): void {
  const { plan } = settings;
  const times = settings.take('retention_period_minutes', 'observer').flatMap(periodOf);
  const found = [...documents.map((each) => settings.root(each)).flatMap(policiesOf), ...times];
  importRuns(settings, found);
  for (const setting of settings.take('retention_period_minutes', 'localstore')) {
    setting.carried(MINUTES, 'Attachments are kept as long as their run.');
  }
  const usable = found.filter(({ isForAll, minutes }) => isForAll || minutes !== FOR_EVER_MINUTES);
  const longest = usable.reduce((most, { minutes }) => Math.max(most, minutes), 0);
  if (usable.length > 0) plan.set(MINUTES, longest);
  else if (settings.services.has('observer') || documents.length > 0) {
    new Place(plan, { file: 'observer', key: 'retention_period_minutes' }).carried(
      MINUTES,
      'Nothing sets it: existing servers kept runs 60 minutes then, this one keeps them a week.',
      'set retention.minutes for another time',
    );
  }
  const usual = configSchema.properties.retention.properties.minutes.default;
  for (const period of found) reportPeriod(period, usable.length > 0 ? longest : usual);
}

function reportPeriod({ isForAll, minutes, place }: Period, all: number): void {
  const kept = `here one time holds for all runs, which are kept ${all} minutes.`;
  if (isForAll && minutes === all) place.carried(MINUTES);
  else if (minutes > all) {
    place.report`It keeps some runs for ever; ${kept} | raise retention.minutes and retention.runs if the disk has room for all runs`;
  } else place.carried(MINUTES, `${isForAll ? 'It is shorter' : 'It is for some runs'}; ${kept}`);
}

function periodOf(place: Place): readonly Period[] {
  const minutes = numberOf(place.value);
  if (minutes !== null && minutes > 0) return [{ place, minutes, isForAll: true }];
  return place.report`It is no time. | set retention.minutes to a number above 0`;
}

function policiesOf(root: Place): readonly Period[] {
  const list = root.at('retentionPolicy');
  if (!Array.isArray(list.value)) list.report`It is no list of policies. | ${MEND}`;
  return listOf(list.value).flatMap((item, index): readonly Period[] => {
    const { name, retentionPeriod, scope = true } = entriesOf(item);
    const place = list.at(textOf(name) ?? String(index));
    const minutes = minutesOf(textOf(retentionPeriod) ?? '');
    const isForAll = (textOf(scope) ?? 'true').toLowerCase() === 'true';
    if (minutes !== 0) return [{ place, minutes, isForAll }];
    return place.report`It is no time. | write it as forever, or as days, hours and minutes: 1d12h30m`;
  });
}

/** Minutes of `forever`, or of a period such as `1d12h30m`; 0 for other texts. */
function minutesOf(period: string): number {
  if (period.toLowerCase() === 'forever') return FOR_EVER_MINUTES;
  const parts = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?$/.exec(period)?.slice(1) ?? [];
  const [days = 0, hours = 0, minutes = 0] = parts.map((part) => Number(part ?? 0));
  return (days * 24 + hours) * 60 + minutes;
}

function importRuns(settings: Settings, found: readonly Period[]): void {
  const isForEver = found.some((each) => each.isForAll && each.minutes === FOR_EVER_MINUTES);
  if (isForEver) settings.plan.set('retention.runs', FOR_EVER_RUNS);
  for (const setting of settings.take('max_retention_workflow_count', 'observer')) {
    const runs = numberOf(setting.value) ?? 0;
    if (Number.isInteger(runs) && runs > 0) setting.carry('retention.runs', runs);
    else setting.report`It is no number of runs. | set retention.runs to an integer above 0`;
  }
}
