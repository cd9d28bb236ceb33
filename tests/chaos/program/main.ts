/**
 * `npm run chaos -- --seed N --minutes M --replicas R`: ten minutes of faults of one server, unless it says otherwise. `--plan` prints what would be done, and
 * does nothing. Ends with 1 when something was not as it must be.
 */
import { parseArgs } from 'node:util';
import { type ChaosReport, runChaos } from './chaos-run.ts';
import { planFaults, planText } from './fault-plan.ts';
import { pauseLines } from './pauses.ts';

const MINUTES = 10;
const MINUTE_MS = 60_000;
/** One namespace attacks another one for this part of the length of the storm. */
const ASSAULT_SHARE = 10;
/** The longest delay that a user still calls immediate. */
const STARTS_WITHIN_MS = 1_000;
/** As a shell says of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

function optionsOf(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      minutes: { type: 'string', default: String(MINUTES) },
      plan: { type: 'boolean', default: false },
      replicas: { type: 'string', default: '1' },
    },
  });
  const seed = Number(values.seed ?? Date.now() % 2 ** 32);
  const minutes = Number(values.minutes);
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) {
    throw new Error('--seed is a whole number from 0 to 4294967295.');
  }
  const replicas = Number(values.replicas);
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > 9) {
    throw new Error('--replicas is a whole number from 1 to 9.');
  }
  if (!(minutes > 0)) throw new Error('--minutes is a number above 0.');
  const lengthMs = Math.round(minutes * MINUTE_MS);
  return { seed, lengthMs, minutes, replicas, onlyPlan: values.plan };
}

function printCounts({ counts, missing }: ChaosReport): void {
  for (const [name, count] of [...counts].sort()) say(`${String(count).padStart(8)}  ${name}`);
  for (const why of missing) say(`SKIPPED: ${why}`);
}

function printPauses({ pauses }: ChaosReport): void {
  say('How long no replica wrote. The goals are for one fault at a time, on a quiet machine:');
  for (const line of pauseLines(pauses)) say(`  ${line}`);
}

async function main(): Promise<number> {
  let options: ReturnType<typeof optionsOf>;
  try {
    options = optionsOf(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 2;
  }
  const { seed, lengthMs, minutes, replicas, onlyPlan } = options;
  const plan = planText(planFaults(seed, lengthMs, replicas));
  if (onlyPlan) {
    say(plan);
    return 0;
  }
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  process.once('SIGTERM', () => interrupted.abort());
  say(`Seed ${seed}.`);
  const { signal } = interrupted;
  const report = await runChaos({
    ...{ seed, lengthMs, replicas, report: say, signal },
    // Only the active one would meet it.
    assault:
      replicas > 1
        ? null
        : { lengthMs: lengthMs / ASSAULT_SHARE, startsWithinMs: STARTS_WITHIN_MS },
    hasExistingAgents: true,
  }).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (report === null) {
    say('Interrupted.');
    return INTERRUPTED;
  }
  if (report.kept !== null) say(`\nWhat was planned:\n${plan}\n`);
  printCounts(report);
  if (replicas > 1) printPauses(report);
  say(`${String(report.violations.length).padStart(8)}  violations`);
  if (report.kept === null) return 0;
  for (const violation of report.violations) say(`VIOLATION: ${violation}`);
  say(`Kept for a look: ${report.kept} (plan, happenings, ledger, data of the server, agents).`);
  say(
    `The same faults again: npm run chaos -- --seed ${seed} --minutes ${minutes} --replicas ${replicas}`,
  );
  return 1;
}

// Node may wait for ever for a socket that it closes at its own end.
process.exit(await main());
