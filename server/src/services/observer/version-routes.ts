/** `GET /version` (specification 4.5 and 2.9): the components of the installation. */
import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { pathToFileURL } from 'node:url';
import { status } from '@tutti/manifests';
import type { FastifyInstance } from 'fastify';
import { sendStatus } from '../../http/reply.ts';
import { readOwnFile } from '../../runtime/own-files.ts';

export interface BomComponent {
  readonly env_version_key: string;
  readonly name: string;
  /** `application` for our packages, `library` for their dependencies. */
  readonly type: 'application' | 'library';
  readonly version: string;
}

/** The bill of materials: every package of ours that is installed, and the packages that these ask for by name. */
export interface Bom {
  readonly name: string;
  readonly 'internal-components': readonly BomComponent[];
}

/** A release has a list of what it was made of, since its packages are in its code. */
const RELEASED = new URL('../../../dist/bill-of-materials.json', import.meta.url);
const BOM_NAME = 'tutti';
const OURS = /^(?:@tutti\/[\w.-]+|tutti)$/;
/** The server needs neither the agent nor the command line, but is mostly installed with them. */
const STARTING_POINTS = ['@tutti/server', '@tutti/agent', 'tutti'];

export function versionRoutes(app: FastifyInstance): void {
  // Made on first request; the installation does not change while the server runs.
  let bom: Bom | null = null;
  app.get(
    '/version',
    {
      config: { anywhere: true },
      schema: {
        summary: 'Bill of materials of the installation',
        tags: ['observer'],
        operation: ({ listing, refTo, EXAMPLES }) => ({
          id: 'getVersion',
          answers: listing('BOM', refTo('BOM'), EXAMPLES.bom),
        }),
      },
    },
    async (_request, reply) => {
      bom ??= (await releasedBill()) ?? billOfMaterials(import.meta.url);
      return sendStatus(reply, status('OK', 'BOM', { items: bom }));
    },
  );
}

/** Null where the sources run. */
async function releasedBill(): Promise<Bom | null> {
  const text = await readOwnFile(RELEASED).catch(() => null);
  return text === null ? null : JSON.parse(text.toString());
}

/** Reads the installed packages as a module at the address `base` finds them. */
export function billOfMaterials(base: string): Bom {
  const components = new Map<string, BomComponent>();
  for (const name of STARTING_POINTS) addPackage(components, name, base);
  const sorted = [...components.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { name: BOM_NAME, 'internal-components': sorted };
}

function addPackage(components: Map<string, BomComponent>, name: string, base: string): void {
  const file = components.has(name) ? null : packageFile(name, base);
  if (file === null) return;
  const { version, dependencies } = readPackage(file);
  const isOurs = OURS.test(name);
  components.set(name, {
    env_version_key: versionKey(name),
    name,
    type: isOurs ? 'application' : 'library',
    version,
  });
  if (!isOurs) return;
  const next = pathToFileURL(file).href;
  for (const dependency of dependencies) addPackage(components, dependency, next);
}

/** Null for a package that is not installed. */
function packageFile(name: string, base: string): string | null {
  try {
    return findPackageJSON(name, base) ?? null;
  } catch {
    return null;
  }
}

function readPackage(file: string) {
  const { version, dependencies = {} }: { version?: unknown; dependencies?: object } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  return { version: String(version ?? ''), dependencies: Object.keys(dependencies) };
}

/** `@tutti/server` is `TUTTI_SERVER_VERSION`. */
const versionKey = (name: string): string =>
  `${name.replace(/^@/, '').replace(/\W+/g, '_').toUpperCase()}_VERSION`;
