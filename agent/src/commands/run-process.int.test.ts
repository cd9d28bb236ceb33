/** Output of real processes, when the agent gets no processor time around their exit. */
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createDecoder } from '../output/output-decoder.ts';
import { linesOf } from '../output/output-lines.fixture.ts';
import type { OutputStream } from '../output/output-lines.ts';
import type { CommandProcess } from '../processes/command-process.ts';
import { platformOf } from '../processes/platform.ts';
import { createProcessStarter } from '../processes/process-starter.ts';
import { openFolder } from '../testing/agent-fixture.ts';
import { systemTiming } from '../timing.ts';
import { runProcess } from './run-process.ts';

const platform = platformOf('linux');

async function runShell(script: string) {
  const environment = { PATH: process.env.PATH };
  const own = createProcessStarter({ platform, environment, workingDir: await openFolder() });
  onTestFinished(() => own.kill());
  const started: CommandProcess[] = [];
  const start: typeof own.start = (invocation) => {
    const child = own.start(invocation);
    started.push(child);
    return child;
  };
  const lines: Record<OutputStream, string[]> = { stdout: [], stderr: [] };
  const running = runProcess({
    invocation: platform.program(['sh', '-c', script]),
    starter: { ...own, start },
    platform,
    // The time for late output is over at once, as after a longer stop of the agent.
    timing: { ...systemTiming, wait: async () => {} },
    decoder: createDecoder('utf-8'),
    onLines: (stream, runs) => lines[stream].push(...runs.flatMap(linesOf)),
  });
  return { running, lines, child: started[0] };
}

/** Nothing is read meanwhile. */
function waitForExit(pid: number): void {
  const state = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0];
  while (state() !== 'Z');
}

test('output in the pipes is read, though the exit is known before and the time is over', async () => {
  const { running, lines, child } = await runShell('seq 5000; seq 5000 >&2');
  waitForExit(child?.pid ?? 0);
  // As the lender of the process reports it, between two looks at the pipes.
  child?.emit('exit', 0, null);
  expect(await running.over).toBe(0);
  const all = Array.from({ length: 5000 }, (_, index) => String(index + 1));
  expect(lines).toEqual({ stdout: all, stderr: all });
});

test('a process that was left running, and writes without end, holds up no end', async () => {
  const { running, lines } = await runShell('yes & echo $!; exit 3');
  expect(await running.over).toBe(3);
  expect(lines.stdout).toContainEqual(expect.stringMatching(/^\d+$/));
});
