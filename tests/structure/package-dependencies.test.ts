import { expect, test } from 'vitest';
import { importsOf, packageNameOf } from './imports.ts';
import { foldersIn, isTestCode, readRepositoryFile, readSourceFiles } from './source-files.ts';
import { tableRows } from './test-names.ts';

interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Workspace {
  readonly folder: string;
  readonly manifest: PackageManifest;
  /** Packages that its sources import at run time, and those that only types and tests are taken from. */
  readonly used: ReadonlySet<string>;
  readonly usedForDevelopment: ReadonlySet<string>;
}

const files = readSourceFiles();
const folders = [
  ...foldersIn('packages').map((name) => `packages/${name}`),
  'server',
  'agent',
  'cli',
  'web',
];
const root: PackageManifest = JSON.parse(readRepositoryFile('package.json'));
const workspaces = folders.map(workspaceOf);

function workspaceOf(folder: string): Workspace {
  const manifest: PackageManifest = JSON.parse(readRepositoryFile(`${folder}/package.json`));
  const own = files.filter(({ path }) => path.startsWith(`${folder}/`));
  const namesIn = (isWanted: (isTest: boolean, isRuntime: boolean) => boolean) =>
    own.flatMap(({ path, text }) =>
      importsOf(text)
        .filter(({ isRuntime }) => isWanted(isTestCode(path), isRuntime))
        .map(({ specifier }) => packageNameOf(specifier))
        .filter((name) => name !== null && name !== manifest.name)
        .map(String),
    );
  return {
    folder,
    manifest,
    used: new Set(namesIn((isTest, isRuntime) => !isTest && isRuntime)),
    usedForDevelopment: new Set(namesIn((isTest, isRuntime) => isTest || !isRuntime)),
  };
}

const namesOf = (dependencies: PackageManifest['dependencies']) => Object.keys(dependencies ?? {});

test('every package that is imported is declared where it is imported', () => {
  const problems = workspaces.flatMap(({ folder, manifest, used }) =>
    [...used]
      .filter((name) => !namesOf(manifest.dependencies).includes(name))
      .map((name) => `${folder}/package.json does not declare ${name}`),
  );
  expect(problems).toEqual([]);
});

test('what only types and tests need is declared for development', () => {
  const problems = workspaces.flatMap(({ folder, manifest, usedForDevelopment }) => {
    const declared = [
      ...namesOf(manifest.dependencies),
      ...namesOf(manifest.devDependencies),
      ...namesOf(root.devDependencies),
    ];
    return [...usedForDevelopment]
      .filter((name) => !declared.includes(name))
      .map((name) => `${folder}/package.json does not declare ${name}`);
  });
  expect(problems).toEqual([]);
});

test('every dependency that is declared is used', () => {
  const problems = workspaces.flatMap(({ folder, manifest, used, usedForDevelopment }) => [
    ...namesOf(manifest.dependencies)
      .filter((name) => !used.has(name) && !usedForDevelopment.has(name))
      .map((name) => `${folder}: ${name}`),
    ...namesOf(manifest.devDependencies)
      .filter((name) => !usedForDevelopment.has(name))
      .map((name) => `${folder}: ${name}`),
  ]);
  expect(problems).toEqual([]);
});

test('packages are exactly as old as each other', () => {
  const versions = workspaces.map(({ manifest }) => manifest.version);
  expect(new Set([root.version, ...versions]).size).toBe(1);
});

test('the lockfile pins what the packages declare', () => {
  const lock: { readonly packages: Readonly<Record<string, PackageManifest>> } = JSON.parse(
    readRepositoryFile('package-lock.json'),
  );
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
  const problems = [{ folder: '', manifest: root }, ...workspaces].flatMap(({ folder, manifest }) =>
    kinds.flatMap((kind) =>
      Object.entries(manifest[kind] ?? {})
        .filter(([name, range]) => {
          const isPinned =
            `node_modules/${name}` in lock.packages ||
            `${folder}/node_modules/${name}` in lock.packages;
          return lock.packages[folder]?.[kind]?.[name] !== range || !isPinned;
        })
        .map(([name]) => `${folder || 'the root'}: ${name}`),
    ),
  );
  expect(problems).toEqual([]);
});

test('ADR 0015 gives a reason for each runtime dependency, and counts all of them', () => {
  const page = readRepositoryFile('docs/explain/decisions/0015-libraries-or-our-own-code.md');
  const [, part = ''] = page.split('\n## Runtime dependencies\n');
  const reasons = tableRows(part.split('\n## ', 1)[0] ?? '', 'Package').map(([name = '']) => name);
  const direct = new Set(workspaces.flatMap(({ manifest }) => namesOf(manifest.dependencies)));
  const others = [...direct].filter((name) => !name.startsWith('@tutti/')).sort();
  expect(reasons.toSorted()).toEqual(others.map((name) => `\`${name}\``).sort());
  const { packages }: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(
    readRepositoryFile('package-lock.json'),
  );
  const installed = Object.entries(packages).filter(
    ([path, { dev, link, optional }]) =>
      path.includes('node_modules/') && !dev && !link && !optional,
  );
  expect(part).toContain(`Now, ${others.length} are direct and ${installed.length} in all`);
});

interface LockedPackage {
  readonly dev?: boolean;
  readonly link?: boolean;
  readonly optional?: boolean;
}
