/** The tables of docs/reference/tools.md, made from the descriptions of the technologies. */
import type {
  ChannelOs,
  InputDeclaration,
  ProviderFunctionManifest,
  ProviderManifest,
  WorkflowStep,
} from '@tutti/manifests';
import { findFunction, parseFunctionName } from '@tutti/sdk';
import { namesOf, providerOfManifest } from '@tutti/sdk/manifest';

const HEAD = [
  '| Function | Inputs | On Linux and macOS | On Windows | Attaches |',
  '|---|---|---|---|---|',
];

/** One section for each technology. */
export async function technologyTables(manifests: readonly ProviderManifest[]): Promise<string> {
  const sections = await Promise.all(manifests.map(sectionOf));
  return sections.join('\n');
}

async function sectionOf(manifest: ProviderManifest): Promise<string> {
  const rows = await Promise.all(manifest.functions.map((each) => rowOf(manifest, each)));
  const { name, description = '' } = manifest.metadata;
  return [`### ${name}`, '', description, '', ...HEAD, ...rows, ''].join('\n');
}

async function rowOf(
  manifest: ProviderManifest,
  described: ProviderFunctionManifest,
): Promise<string> {
  const names = namesOf(described).map((name) => `\`${name}\``);
  const cells = [
    `${names.join('<br>')}<br>${described.description}`,
    Object.entries(described.inputs ?? {})
      .map(inputText)
      .join('<br>'),
    await commandText(manifest, described, 'linux'),
    await commandText(manifest, described, 'windows'),
    (described.attach ?? []).map(({ path, type }) => attachText(path, type)).join('<br>'),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '&#124;')).join(' | ')} |`;
}

function inputText([name, { description, required, default: value }]: [
  string,
  InputDeclaration,
]): string {
  const isEmpty =
    value === undefined || value === '' || ['{}', '[]'].includes(String(JSON.stringify(value)));
  const told = required === true ? ' (required)' : isEmpty ? '' : ` (\`${textOf(value)}\`)`;
  return `\`${name}\`${told}: ${description}`;
}

const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') : String(value);

/** What an expression in the path has is the folder of the project. */
function attachText(path: string, type: string | undefined): string {
  const shown = path
    .replace(/\$\{\{ values\.root \}\}/g, 'PROJECT')
    .replace(/\$\{\{ values\.reports \}\}/g, 'REPORTS')
    .replace(/\*\$\{\{ values\.end \}\}/g, '*')
    .replace(/\$\{\{ inputs\.target \}\}/g, 'TARGET');
  return type === undefined
    ? `\`${shown}\``
    : `\`${shown}\` as \`${type.replace(/^application\/vnd\.opentestfactory\./, '…')}\``;
}

async function commandText(
  manifest: ProviderManifest,
  described: ProviderFunctionManifest,
  os: ChannelOs,
): Promise<string> {
  const { attach: _, ...bare } = described;
  const provider = providerOfManifest({ ...manifest, functions: [bare] });
  const name = parseFunctionName(described.name);
  const called = name === null ? null : findFunction(provider.functions, name);
  if (called === null) throw new Error(`There is no function ${described.name}.`);
  if (
    os === 'linux' &&
    !Array.isArray(described.steps) &&
    Object.keys(described.steps).join() === 'windows'
  )
    return 'None';
  const steps = await called.call(exampleOf(described), { os });
  return steps.map(stepText).join('<br>');
}

/** The first example of each input that there must be; of a reference of a test, the one that says most. */
export function exampleOf({ inputs = {} }: ProviderFunctionManifest): Record<string, string> {
  const required = Object.entries(inputs).filter(([, { required }]) => required === true);
  return Object.fromEntries(
    required.map(([name, { description }]) => [
      name,
      /`([^`]+)`/.exec(description)?.[1] ?? name.toUpperCase(),
    ]),
  );
}

/** Long scripts are named, not shown. */
function stepText({ run = '', uses, shell, with: given = {} }: WorkflowStep): string {
  if (uses !== undefined) {
    const { path } = given;
    return typeof path === 'string' ? `Writes \`${path}\`` : `Calls \`${uses}\``;
  }
  if (shell === 'powershell') return 'A script for PowerShell';
  const lines = run
    .trimEnd()
    .split('\n')
    .map((line) => `\`${line}\``);
  return lines.join('<br>');
}
