/** The agents of the program: our own, and existing ones as PyPI has them. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Installed, installed } from '../../interop/installation.ts';
import { Program } from '../../interop/program.ts';
import { labelOf, type Subject } from '../../interop/subjects.ts';
import { launchChild } from '../../support/child.ts';
import type { AgentPlace, AgentProgram } from './agent-keeper.ts';
import type { KeptProcess } from './process-keeper.ts';
import { COLORS, OWN_TAG } from './run-spec.ts';

/** One program of each generation. The old one has its scripts as files and loses a result whose post fails; the new one does not. */
export const EXISTING: readonly Subject[] = [
  { program: 'opentf-agent', version: '1.7.0' },
  { program: 'opentf-agent-nightly', version: '2.0.0.dev277' },
];

/** Seconds of silence after which an existing agent is given up. It exceeds each of its steps and each absence of the server. */
export const LIVENESS_SECONDS = 10;

const tagsOf = (slot: number): readonly string[] => ['linux', COLORS[slot % COLORS.length] ?? ''];

export function ownProgram(slot: number, token: string): AgentProgram {
  const tags = [...tagsOf(slot), OWN_TAG];
  // The first one has two environments in one process.
  const slots = slot === 0 ? 2 : 1;
  return {
    isExisting: false,
    registeredAs: (name) => (slots === 1 ? [name] : [`${name}-1`, `${name}-2`]),
    stopSignal: 'SIGTERM',
    launch: ({ name, workspaceDir, url: server, environment }) =>
      launchChild(
        'agent-process.ts',
        { server, token, tags, name, workspaceDir, slots },
        { environment },
      ),
  };
}

/** Programs that can be installed here, and for each of the others the reason why not. */
export async function existingPrograms(
  firstSlot: number,
  token: string,
): Promise<{ readonly programs: readonly AgentProgram[]; readonly missing: readonly string[] }> {
  const programs: AgentProgram[] = [];
  const missing: string[] = [];
  for (const subject of EXISTING) {
    const found = await installed(subject);
    if ('missing' in found) missing.push(`There is no ${labelOf(subject)}: ${found.missing}.`);
    else programs.push(existingProgram(found.tool, firstSlot + programs.length, token));
  }
  return { programs, missing };
}

function existingProgram(found: Installed, slot: number, token: string): AgentProgram {
  return {
    isExisting: true,
    registeredAs: (name) => [name],
    // It takes its registration back; at another one it ends as if it was killed.
    stopSignal: 'SIGINT',
    launch: (place) => launchExisting(found, place, [...existingWords(place, slot, token)]),
  };
}

function existingWords(place: AgentPlace, slot: number, token: string): readonly string[] {
  const { protocol, hostname, port } = new URL(place.url);
  const scripts = join(place.workspaceDir, 'scripts');
  mkdirSync(scripts, { recursive: true });
  return [
    ...['--host', `${protocol}//${hostname}`, '--port', port, '--token', token],
    ...['--name', place.name, '--tags', tagsOf(slot).join(',')],
    ...['--workspace_dir', place.workspaceDir, '--script_path', scripts],
    ...['--polling_delay', '1', '--retry', '0', '--liveness_probe', String(LIVENESS_SECONDS)],
  ];
}

function launchExisting(
  found: Installed,
  { workspaceDir, environment }: AgentPlace,
  words: readonly string[],
): KeptProcess {
  const options = { home: workspaceDir, env: environment };
  const program = new Program(found, 'opentf-agent', words, options);
  const whenGone = program.whenEnded.then(({ code }) => ({
    code,
    signal: code === null ? ('SIGKILL' as const) : null,
  }));
  return {
    get pid() {
      return program.pid;
    },
    get isRunning() {
      return program.isRunning;
    },
    get stderr() {
      return program.stderr;
    },
    // Its id is told by the listing of agents.
    whenReady: new Promise(() => undefined),
    whenGone,
    kill: async (signal) => {
      program.signal(signal);
      await whenGone;
    },
  };
}
