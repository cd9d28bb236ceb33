import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { ImportBench, serviceFile } from './testing.ts';

const bench = new ImportBench();
afterAll(() => bench.close());

const gate = (name: string, threshold = '100%') => ({
  ...{ name, rules: [{ rule: { scope: 'true', threshold } }] },
});
const insight = (name: string, kind = 'ExecutionLog') => ({ name, kind });
const HOOK = { name: 'h', events: [{ channel: 'setup' }], before: [{ run: 'true' }] };

test('definitions of a directory precede those of a file and unnamed ones', async () => {
  const { config } = await bench.import({
    'v.env': 'QUALITYGATE_DEFINITIONS=z.yaml\nQUALITYGATE_DEFINITIONS_PATH=gates\n',
    'gates/b.yml': { qualitygates: [gate('b')] },
    'gates/a.yaml': { qualitygates: [gate('a')] },
    'gates/README': 'not a gate',
    'z.yaml': { qualitygates: [gate('z')] },
    'more/a.yaml': { qualitygates: [gate('more')] },
  });
  const names = ['a.yaml', 'b.yml', 'z.yaml', 'a-2.yaml'];
  const definitions = names.map((name) => `quality-gates/${name}`);
  expect(config).toEqual({ qualityGates: { definitions } });
});

test('files are copied unchanged, with their comments', async () => {
  const text = '# ours\ninsights: [{name: log, kind: ExecutionLog}]\n';
  bench.write({ 'copied/insights.yaml': text });
  await bench.run('@copied', '--save-to', '@copies');
  expect(readFileSync(bench.path('copies/insights/insights.yaml'), 'utf8')).toBe(text);
});

test('definitions that a server would refuse are left out, and the rest of their file stays', async () => {
  const { config, lines } = await bench.import({
    'gates.yaml': { qualitygates: [gate('strict'), gate('good'), gate('bad', '101%')] },
    'wrong.yaml': { qualitygates: [gate('passing')] },
    'insights.yaml': { insights: [insight('log'), insight('odd', 'Nonsense')] },
  });
  expect(config).toEqual({
    qualityGates: { definitions: ['quality-gates/gates.yaml'] },
    insights: { definitions: ['insights/insights.yaml'] },
  });
  const mend = 'What to do: correct it and import it again.';
  const shownBy = lines.filter((line) => line.includes(mend));
  expect(shownBy).toEqual([
    `gates.yaml: qualitygates.strict: The quality gate "strict" is built in and cannot be defined anew. ${mend}`,
    expect.stringMatching(
      /^gates.yaml: qualitygates.bad: Not a valid quality gate definition: qualitygates\[2\][^(]*What/,
    ),
    `wrong.yaml: qualitygates.passing: The quality gate "passing" is built in and cannot be defined anew. ${mend}`,
    expect.stringMatching(/^insights.yaml: insights.odd: Not a valid insight definition: /),
  ]);
});

test('hooks are carried over with their events', async () => {
  const ofFunction = { ...HOOK, events: [{ category: 'checkout' }] };
  const { config, lines } = await bench.import({
    'v.env':
      'AGENTCHANNEL_CHANNEL_HOOKS=channel.yaml\nACTIONPROVIDER_PROVIDER_HOOKS=actions.yaml\nJUNIT_PROVIDER_HOOKS=channel.yaml\n',
    'channel.yaml': { hooks: [HOOK] },
    'actions.yaml': { hooks: [ofFunction] },
  });
  expect(config).toEqual({
    hooks: {
      channel: 'hooks/channel.yaml',
      providers: [{ prefix: 'actions', path: 'hooks/actions.yaml' }],
    },
  });
  expect(lines).toContainEqual(expect.stringMatching(/^channel.yaml: hooks.h: /));
});

test('a missing file is reported', async () => {
  const { lines } = await bench.import({ 'v.env': 'QUALITYGATE_DEFINITIONS=/app/gates.yaml' });
  expect(lines).toEqual([
    'v.env: QUALITYGATE_DEFINITIONS: There is no /app/gates.yaml here. What to do: copy it to this machine, or say where it is with --map /app=DIRECTORY.',
  ]);
});

test('a service without settings is reported to have made two reports of each run', async () => {
  const files = { 'insightcollector.yaml': serviceFile({ port: 7796 }) };
  const { lines } = await bench.import(files);
  const shownBy = /^insightcollector: configuration: Nothing sets it: existing servers made a log/;
  expect(lines).toContainEqual(expect.stringMatching(shownBy));
});
