/** Networks between agents and their server that are away, and come back. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { POLL_GRACE_MS, POLL_WAIT_SECONDS } from '../../agent/src/limits.ts';
import { loadConfig } from '../../server/src/runtime/config.ts';
import { createProxyCounts, FaultProxy } from '../chaos/program/fault-proxy.ts';
import { bodyOf } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { ended, logged, logTexts, oneJob, sh, start, statusOf } from '../support/runs.ts';
import { type AgentChild, type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

/** A server that misses its agents soon, and an agent behind a proxy. */
async function openWorld(absence: Readonly<Record<string, number>>) {
  const bench = await Workbench.open();
  onTestFinished(() => bench.close());
  const agents = { disconnectGraceSeconds: 0.2, ...absence };
  const server = await bench.server({ config: { agents } });
  const port = Number(new URL(server.url).port);
  const proxy = await FaultProxy.open(port, createProxyCounts(), () => undefined);
  onTestFinished(() => proxy.close());
  const agent = await bench.agent({ url: proxy.url, token: server.token }, { tags: ['linux'] });
  return { server, proxy, agent };
}

const phase = (server: ServerChild, { id }: AgentChild, wanted: string) =>
  eventually(`agent ${id} in ${wanted}`, async () => {
    const agents = bodyOf(await server.call('GET', '/agents')).items as readonly {
      readonly metadata: { readonly agent_id: string };
      readonly status: { readonly phase: string };
    }[];
    return agents.some(
      ({ metadata, status }) => metadata.agent_id === id && status.phase === wanted,
    );
  });

attack('network-away', async () => {
  const { server, proxy, agent } = await openWorld({});
  const file = (name: string) => join(agent.workspaceDir, name);
  const waiting =
    'echo begun; echo begun >> ../starts; until [ -e ../away ]; do sleep 0.05; done; seq 1 5000; : > ../said; until [ -e ../back ]; do sleep 0.05; done; echo over';
  const id = await start(server, oneJob('far', [sh(waiting), sh('echo next')]));
  // The log has the text of the command before the agent has it.
  await eventually('the begin of the step', () => existsSync(file('starts')));
  proxy.refuse();
  writeFileSync(file('away'), '');
  await phase(server, agent, 'UNREACHABLE');
  await eventually('what the step says meanwhile', () => existsSync(file('said')));
  const other = await start(server, oneJob('other', [sh('true')]));
  await logged(server, other, 'waits');
  proxy.accept();
  await phase(server, agent, 'BUSY');
  expect(await statusOf(server, other)).toBe('PENDING');
  writeFileSync(file('back'), '');
  expect(await ended(server, id)).toBe('DONE');
  expect(readFileSync(file('starts'), 'utf8')).toBe('begun\n');
  const texts = await logTexts(server, id);
  const numbers = texts.filter((text) => /^\d+$/.test(text)).map(Number);
  expect(numbers).toEqual(Array.from({ length: 5000 }, (_, index) => index + 1));
  expect(await ended(server, other)).toBe('DONE');
});

attack('network-away-too-long', async () => {
  const { server, proxy } = await openWorld({ absenceSeconds: 1 });
  const id = await start(server, oneJob('far', [sh('echo begun; sleep 300')]));
  await logged(server, id, 'begun');
  proxy.refuse();
  expect(await ended(server, id)).toBe('FAILED');
  expect((await logTexts(server, id)).join('\n')).toContain(
    'its connection broke and it did not come back within 1 s.',
  );
});

test('an agent may be away for two minutes, and for the time after which it gives up a request', () => {
  const { absenceSeconds } = loadConfig({ env: {}, options: {} }).agents;
  expect(absenceSeconds).toBeGreaterThanOrEqual(120 + POLL_WAIT_SECONDS + POLL_GRACE_MS / 1000);
});
