/** The libraries in a release: for its bill of materials (CycloneDX), and for their licenses, which copies must carry. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { installedNode, NODE_PACKAGES } from '../../cli/bin/installed-node.js';
import { ROOT } from '../build/bundles.ts';
import { librariesOfPage } from '../build/page-libraries.ts';
import type { Program } from './program-files.ts';

const FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;
/** Folders of libraries whose code is in the documentation: its builder tells no sources. */
const OF_THE_SITE = ['@vueuse/core', 'minisearch', 'vitepress', 'vue'];
const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)/i;

interface Library {
  /** Folder from the root of the repository, with slashes. */
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** Missing where the package names none. */
  readonly license?: string;
  /** Hash of the package in the registry, as npm writes it. */
  readonly integrity: string;
}

/** The libraries whose code is in a program, in the order of their names. */
export function librariesOf({ chunks }: Program): readonly Library[] {
  const bundled = chunks
    .flatMap(({ moduleIds }) => moduleIds)
    .flatMap((id) => FOLDER.exec(relative(ROOT, id).split(sep).join('/')) ?? []);
  const others = [...OF_THE_SITE.map((name) => `node_modules/${name}`), ...librariesOfPage()];
  return lockedLibraries([...bundled, ...others]);
}

function lockedLibraries(folders: readonly string[]): readonly Library[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return [...new Set(folders)].sort().map((folder) => {
    const { version, license, integrity } = packages[folder];
    const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return { folder, name, version, license, integrity };
  });
}

/** The licenses of all libraries, and of Node, as a text. */
export function licenseText(libraries: readonly Library[]): string {
  const node = installedNode();
  const ofNode = node === null ? [] : [`Node\n\n${licenseIn(join(node, '..', '..'))}`];
  const texts = libraries.map(
    ({ folder, name, version, license }) =>
      `${name} ${version} (${license ?? 'see below'})\n\n${licenseIn(join(ROOT, folder))}`,
  );
  return [...texts, ...ofNode].map((text) => `${text.trimEnd()}\n`).join(`\n${'-'.repeat(80)}\n\n`);
}

function licenseIn(folder: string): string {
  const files = readdirSync(folder).filter((name) => LICENSE_FILE.test(name));
  return files.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

/** The bill of materials in the form of CycloneDX 1.6. `madeAt` is in seconds since 1970. */
export function billOfMaterials(
  { version }: Program,
  libraries: readonly Library[],
  madeAt: number,
): object {
  const nodes = lockedLibraries(Object.values(NODE_PACKAGES).map((name) => `node_modules/${name}`));
  const components = [
    ...libraries.map((library) => componentOf('library', library)),
    // An executable has one of them, and the package asks npm for the one of the machine.
    ...nodes.map((node) => ({ ...componentOf('application', node), scope: 'optional' })),
  ];
  const ref = `pkg:npm/tutti@${version}`;
  const unique = [...new Map(components.map((each) => [each.purl, each])).values()];
  return {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 },
    metadata: {
      timestamp: new Date(madeAt * 1_000).toISOString(),
      component: {
        ...{ type: 'application', 'bom-ref': ref, name: 'tutti', version, purl: ref },
        licenses: [{ expression: 'Apache-2.0' }],
      },
    },
    components: unique,
    dependencies: [{ ref, dependsOn: unique.map(({ purl }) => purl) }],
  };
}

function componentOf(type: string, { name, version, license, integrity }: Library) {
  const [last = '', group] = name.split('/').toReversed();
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [algorithm = '', hash = ''] = integrity.split(/-(.*)/s);
  return {
    ...{ type, 'bom-ref': purl, ...(group === undefined ? {} : { group }), name: last },
    ...{ version, purl, ...(license === undefined ? {} : { licenses: [{ expression: license }] }) },
    hashes: [
      {
        alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
        content: Buffer.from(hash, 'base64').toString('hex'),
      },
    ],
  };
}
