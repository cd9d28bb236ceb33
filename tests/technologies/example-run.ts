/** Runs the example as its README says. Keeps the output, the reports, and a server that has the run. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { itemsOf } from '../support/api.ts';
import { findWholeChromium } from '../support/browser.ts';
import type { Found } from '../support/found-tool.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { findGo } from './go.ts';
import { EXAMPLE, fetchWithMaven, installExampleTools, QUICK_MAVEN } from './tools.ts';

export interface ExampleRun {
  readonly workflowId: string;
  /** Exit code of the command in the README. */
  readonly exitCode: number | null;
  readonly output: string;
  /** Started anew on the data of the one that the run was made with. */
  readonly server: ServerChild;
  readonly chromium: string;
  readonly htmlFile: string;
  readonly xml: string;
  readonly log: string;
  close(): Promise<void>;
}

interface ExampleTools {
  readonly folder: string;
  readonly chromium: string;
}

/** All that the example needs; or what there is not. */
export async function exampleTools(): Promise<Found<ExampleTools>> {
  const tools = await installExampleTools();
  const needed = [tools, await fetchWithMaven(join(EXAMPLE, 'invoices')), findGo()];
  const missing = needed.find((found) => 'missing' in found);
  const chromium = findWholeChromium();
  if (missing !== undefined) return missing;
  if ('missing' in tools || chromium === null) return { missing: 'there is no Chromium' };
  return { tool: { folder: tools.tool, chromium } };
}

export async function runExample({ folder, chromium }: ExampleTools): Promise<ExampleRun> {
  const bench = await Workbench.open();
  try {
    const results = bench.path('results');
    const ended = await runScript(results, {
      TOOLS_DIR: folder,
      CHROMIUM: chromium,
      ...QUICK_MAVEN,
    });
    const report = (name: string) => readFile(join(results, name), 'utf8');
    const server = await bench.server({ dataDir: join(results, 'data') });
    const [workflowId] = itemsOf(await server.call('GET', '/workflows'));
    return {
      ...ended,
      workflowId: String(workflowId),
      server,
      chromium,
      htmlFile: join(results, 'summary.html'),
      xml: await report('testresults.xml'),
      log: await report('log.txt'),
      close: () => bench.close(),
    };
  } catch (error) {
    await bench.close();
    throw error;
  }
}

function runScript(results: string, env: Readonly<Record<string, string>>) {
  const { HOME = '/', PATH = '' } = process.env;
  const child = spawn('bash', [join(EXAMPLE, 'run.sh'), results], {
    env: { HOME, PATH: `${dirname(process.execPath)}:${PATH}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  return new Promise<{ exitCode: number | null; output: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, output }));
  });
}
