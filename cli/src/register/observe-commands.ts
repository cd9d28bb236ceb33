/** The commands that look into one run: its jobs, their tags, its log. */
import { type Command, Option } from 'commander';
import type { JobsOptions } from '../commands/jobs.ts';
import type { LogsOptions } from '../commands/logs.ts';
import type { TagsOptions } from '../commands/tags.ts';
import type { WorkersOptions } from '../commands/workers.ts';
import { withConnection } from '../options/connection-options.ts';
import { prefixOption } from '../options/display-options.ts';
import { readMoment } from '../options/moments.ts';
import { readCount, readSeconds } from '../options/option-values.ts';
import { runLimitOption } from '../options/time-limit.ts';
import { withRunWatch } from '../options/watch-option.ts';
import { resourceOutputOption } from '../resources/output.ts';
import type { Act } from './act.ts';

const TAGS_TIMEOUT_MS = 8_000;
const RUN_ARGUMENT = [
  '[id]',
  'id of a workflow, or the beginning of one; the one that was started last if absent',
] as const;

export function addObserveCommands(program: Command, act: Act): void {
  addJobsCommand(program, act);
  addTagsCommand(program, act);
  addWorkersCommand(program, act);
  addLogsCommand(program, act);
}

const scopeOption = (): Option =>
  new Option('--scope <expression>', "test cases that count, as in test.technology == 'junit'");

function addJobsCommand(program: Command, act: Act): void {
  const jobs = program
    .command('jobs')
    .description('Show the jobs of a workflow, and why they wait.')
    .addOption(scopeOption());
  withRunWatch(withConnection(jobs))
    .argument(...RUN_ARGUMENT)
    .addOption(resourceOutputOption())
    .addHelpText('after', JOBS_HELP)
    .action(async (id: string | undefined, options: JobsOptions) => {
      const { listJobs } = await import('../commands/jobs.ts');
      await act((io) => listJobs(id, options, io));
    });
}

const JOBS_HELP = `
Jobs that ended have the manifest of the data source "jobs"; others have one in the same form, with the phase WAITING, RUNNING,
CANCELLED or SKIPPED, and the reason: what they wait for, or why they did not run. --watch ends with the workflow.

Examples:
  tutti jobs 0198 --watch --timeout 10m
  tutti jobs --scope "test.outcome == 'failure'" -o custom-columns=NAME:metadata.name,FAILED:status.testCaseCount
  tutti jobs -o json | jq -r '.[] | select(.status.phase == "FAILED") | .metadata.name'`;

function addWorkersCommand(program: Command, act: Act): void {
  const workers = program
    .command('workers')
    .description('Show what works on the results of a workflow, as what reads its reports.');
  withRunWatch(withConnection(workers).argument(...RUN_ARGUMENT))
    .addOption(resourceOutputOption())
    .addHelpText('after', WORKERS_HELP)
    .action(async (id: string | undefined, options: WorkersOptions) => {
      const { listWorkers } = await import('../commands/workers.ts');
      await act((io) => listWorkers(id, options, io));
    });
}

const WORKERS_HELP = `
While there are some, test cases and reports may be missing. --watch ends when the workflow is over and no worker is active.

Examples:
  tutti workers 0198
  tutti workers --watch --timeout 2m
  tutti workers -o name`;

function addTagsCommand(program: Command, act: Act): void {
  const tags = program
    .command('tags')
    .description('Show which environments a workflow asked for, and the test cases on these.');
  withConnection(tags)
    .argument(...RUN_ARGUMENT)
    .addOption(scopeOption())
    .addOption(
      new Option(
        '--timeout <time>',
        'how long to wait until they are all there, as in 30 (seconds) or 5m',
      )
        .argParser(readSeconds)
        .default(TAGS_TIMEOUT_MS, '8 seconds'),
    )
    .addOption(resourceOutputOption())
    .addHelpText('after', TAGS_HELP)
    .action(async (id: string | undefined, options: TagsOptions) => {
      const { listTags } = await import('../commands/tags.ts');
      await act((io) => listTags(id, options, io));
    });
}

const TAGS_HELP = `
Exit codes:
  0  done
  101  they were not all there in time: the workflow goes on, or its reports are still being read

Examples:
  tutti tags 0198 -o wide
  tutti tags --timeout 5m -o custom-columns=TAG:metadata.name,FAILED:status.testCaseStatusSummary.failure`;

function addLogsCommand(program: Command, act: Act): void {
  const logs = program.command('logs').description('Print the execution log of a workflow.');
  withConnection(logs)
    .argument(...RUN_ARGUMENT)
    .option('-f, --follow', 'print what comes, too, until the workflow is over')
    .addOption(runLimitOption('-f'))
    .option('--job <pattern>', 'lines of jobs of this name, as in "unit*"')
    .option(
      '--step <pattern>',
      'lines of steps of this name, function, command or id; reads all events',
    )
    .option('--since <time>', 'lines since then, as in 5m or 2026-01-31T12:00', readMoment)
    .option(
      '--tail <count>',
      'the last lines that fit, so many; reads no more than it has to',
      readCount,
    )
    .option('--grep <pattern>', 'lines with a match of this regular expression')
    .option('-i, --ignore-case', 'with --grep: letters match in both cases')
    .option('-C, --around <count>', 'with --grep: so many lines around each match', readCount)
    .option('--timestamps', 'begin each line with its time, in UTC')
    .addOption(prefixOption().conflicts('timestamps'))
    .addOption(
      new Option(
        '-o, --output <format>',
        'json: one document per line, with timestamp, job, job_id and text',
      )
        .choices(['text', 'json'])
        .default('text'),
    )
    .addHelpText('after', LOGS_HELP)
    .action(async (id: string | undefined, options: LogsOptions) => {
      const { showLogs } = await import('../commands/logs.ts');
      await act((io) => showLogs(id, options, io));
    });
}

const LOGS_HELP = `
Lines begin with the name of their job, but where --job names one. "tutti status ID --log" prints the log as the server has it.
Patterns of --grep are searched in time that grows with the log alone: look-around and references to groups are refused.

Examples:
  tutti logs 0198 --tail 50 -f
  tutti logs -f --timeout 10m
  tutti logs --job 'browsers*' --grep 'error|fatal' -i -C 3
  tutti logs --step compile
  tutti logs --since 10m --timestamps
  tutti logs --output-prefix '{time} [{job}] '
  tutti logs -o json | jq -r 'select(.job == "unit") | .text'`;
