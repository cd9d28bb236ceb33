/** The pages of docs/reference/tools, made from the descriptions of the technologies. */
import type {
  ChannelOs,
  InputDeclaration,
  ProviderFunctionManifest,
  ProviderManifest,
  WorkflowStep,
} from '@tutti/manifests';
import { findFunction, parseFunctionName } from '@tutti/sdk';
import { namesOf, providerOfManifest } from '@tutti/sdk/manifest';

/** The head of a new page, above its functions: a name, and an example to paste. People add the rest. */
export function newPage({ metadata, functions }: ProviderManifest): string {
  const [first] = functions;
  if (first === undefined) throw new Error(`${metadata.name} has no function.`);
  const inputs = Object.entries(exampleOf(first)).map(([name, value]) => `    ${name}: '${value}'`);
  const step = [`- uses: ${first.name}`, ...(inputs.length > 0 ? ['  with:', ...inputs] : [])];
  const { name, description = '' } = metadata;
  return [`# ${name}`, '', description, '', '```yaml', ...step, '```', '', ''].join('\n');
}

/** The functions of a technology, one section for each. */
export async function functionSections(manifest: ProviderManifest): Promise<string> {
  const sections = await Promise.all(
    manifest.functions.map((described) => sectionOf(manifest, described)),
  );
  return sections.join('\n');
}

async function sectionOf(
  manifest: ProviderManifest,
  described: ProviderFunctionManifest,
): Promise<string> {
  const [name = '', ...others] = namesOf(described).map((each) => `\`${each}\``);
  const inputs = Object.entries(described.inputs ?? {}).map(inputText);
  const unix = await commandText(manifest, described, 'linux');
  const windows = await commandText(manifest, described, 'windows');
  const attached = (described.attach ?? []).map(({ path, type }) => attachText(path, type));
  const isSame = windows.replaceAll('```bat', '```sh') === unix;
  const parts = [
    `## ${name.replaceAll('`', '')}`,
    described.description ?? '',
    others.length > 0 ? `Also called ${others.join(', ')}.` : '',
    inputs.length > 0 ? ['| Input | |', '|---|---|', ...inputs].join('\n') : '',
    isSame ? unix : '',
    isSame || unix === '' ? '' : `On Linux and macOS:\n\n${unix}`,
    isSame ? '' : `On Windows:\n\n${windows}`,
    attached.length > 0 ? `Attaches:\n\n${attached.map((each) => `- ${each}`).join('\n')}` : '',
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function inputText([name, { description, required, default: value }]: [
  string,
  InputDeclaration,
]): string {
  const isEmpty =
    value === undefined || value === '' || ['{}', '[]'].includes(String(JSON.stringify(value)));
  const actual =
    required === true ? ', required' : isEmpty ? '' : `, \`${textOf(value)}\` if absent`;
  return `| \`${name}\`${actual} | ${description.replaceAll('|', '&#124;')} |`;
}

const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') : String(value);

/** Replaces the expressions in a path by words, such as `PROJECT` and `REPORTS`. */
function attachText(path: string, type: string | undefined): string {
  const shown = path
    .replace(/\$\{\{ runner\.workspace \}\}/g, 'WORKSPACE')
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
    return '';
  const steps = await called.call(exampleOf(described), { os });
  return steps.map((step) => stepText(step, os)).join('\n\n');
}

/** The first example of each required input. A reference of a test has the longest example. */
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
function stepText(
  { run = '', uses, shell, with: given = {} }: WorkflowStep,
  os: ChannelOs,
): string {
  if (uses !== undefined) {
    const { path } = given;
    return typeof path === 'string'
      ? `Writes \`${path.replace('\uFDD0', 'WORKSPACE')}\`.`
      : `Calls \`${uses}\`.`;
  }
  if (shell === 'powershell') return 'A script for PowerShell.';
  const shown = run.trimEnd().replace(/(base64,)[\w+/=]{40,}/g, '$1…');
  return `\`\`\`${os === 'windows' ? 'bat' : 'sh'}\n${shown}\n\`\`\``;
}
