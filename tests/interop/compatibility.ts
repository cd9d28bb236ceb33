/** docs/reference/compatibility.md, made of what is claimed and of the verdicts on it. */
import { AREAS } from './areas.ts';
import type { Verdict } from './results.ts';
import { type Area, claimName, claimsOf, type Feature, type Subject } from './subjects.ts';

const NOT_THERE = 'not there';

/** `verdictOf` is asked once for each claim. */
export function compatibilityDocument(verdictOf: (claim: string) => Verdict): string {
  return `${[HEAD, ...AREAS.map((area) => section(area, verdictOf))].join('\n')}`;
}

const HEAD = `# Compatibility

Existing programs work with this server, unmodified, as PyPI has them. Each verdict comes from a test in \`tests/interop\` that runs this
version of the program against a server. The name of the test is the program, its version and the feature.
\`${NOT_THERE}\` means that this version of the program lacks the feature. [Differences](../guides/differences.md) lists what behaves
in another way.

This page is written by \`TUTTI_COMPATIBILITY=1 npx vitest run --project interop\`, from the results of that run.
`;

function section(area: Area, verdictOf: (claim: string) => Verdict): string {
  const { title, about, subjects, features } = area;
  const verdicts = new Map(
    claimsOf(area).map((claim) => [claimName(claim), verdictOf(claimName(claim))]),
  );
  const cell = (feature: Feature, subject: Subject) =>
    verdicts.get(claimName({ subject, feature })) ?? NOT_THERE;
  const rows = features.map((feature) => [
    feature.text.replaceAll('|', '&#124;'),
    ...subjects.map((subject) => cell(feature, subject)),
  ]);
  const heading = ['Feature', ...subjects.map(headingOf)];
  const lines = [heading, heading.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  const notes = features.flatMap(({ text, note }) =>
    note === undefined ? [] : [`- ${text}: ${note}`],
  );
  const words = about === undefined ? [] : [`${about}\n`];
  return [
    `## ${title}\n`,
    ...words,
    ...lines,
    '',
    ...(notes.length === 0 ? [] : [...notes, '']),
  ].join('\n');
}

const headingOf = ({ program, version, mode }: Subject): string =>
  [`\`${program}\``, version, ...(mode === undefined ? [] : [`\`${mode}\``])].join(' ');
