/** Workflows whose steps leave traces that can be counted. */

import type { Random } from '../support/random.ts';
import type { Manifest } from '../support/runs.ts';

/** Traces of a step: its name in the ledger and the number of lines it prints. */
export interface Traces {
  readonly mark: string;
  readonly lines: number;
  readonly attaches: boolean;
}

/** Several jobs, some after others. Every step writes its name to the file `ledger`, once per execution. */
export function createWorkflow(random: Random, index: number, ledger: string): Manifest {
  const names = Array.from({ length: random.between(1, 4) }, (_, job) => `job${job}`);
  const jobs = names.map((name, job) => {
    const earlier = names.slice(0, job).filter(() => random.chance(0.4));
    const marks = Array.from(
      { length: random.between(1, 4) },
      (_, step) => `w${index}.${job}.${step}`,
    );
    const definition = {
      'runs-on': random.chance(0.5) ? 'linux' : ['linux', random.pick(['red', 'blue'])],
      ...(earlier.length === 0 ? {} : { needs: earlier }),
      steps: marks.map((mark) => ({ run: createScript(random, mark, ledger) })),
    };
    return [name, definition] as const;
  });
  return { metadata: { name: `chaos ${index}` }, jobs: Object.fromEntries(jobs) };
}

function createScript(random: Random, mark: string, ledger: string): string {
  const lines = random.between(1, 5);
  const pause = random.chance(0.5)
    ? `sleep 0.${String(random.between(50, 300)).padStart(3, '0')}`
    : ':';
  const attaches = random.chance(0.3);
  return [
    `# traces ${mark} ${lines} ${attaches}`,
    `echo ${mark} >> '${ledger}'`,
    `for i in $(seq ${lines}); do echo "${mark} line $i"; [ "$i" != 1 ] || ${pause}; done`,
    ...(attaches
      ? [`printf 'data of ${mark}' > data.txt`, 'echo "::attach type=text/plain::$PWD/data.txt"']
      : []),
  ].join('\n');
}

/** Reads them back from the commands that a run gave; null for another script. */
export function tracesIn(script: string): Traces | null {
  const match = /^# traces (\S+) (\d+) (true|false)$/m.exec(script);
  if (match === null) return null;
  const [, mark = '', lines, attaches] = match;
  return { mark, lines: Number(lines), attaches: attaches === 'true' };
}
