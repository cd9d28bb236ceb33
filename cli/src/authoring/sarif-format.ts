/** Problems as SARIF 2.1.0, which code scanning services read. */
import { countOf } from '@tutti/manifests';
import type { WorkflowDiagnostic } from '@tutti/workflow/validation';
import { type CheckedFile, fullMessage, linkOf, offendingText } from './checked-file.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

export function sarifFormat(files: readonly CheckedFile[], version: string): string {
  const links = new Map(
    files.flatMap(({ report }) => report.diagnostics.map((each) => [each.topic, linkOf(each)])),
  );
  const rules = [...links.keys()].sort().map((id) => ({
    id,
    shortDescription: { text: `What is said in "${id}"` },
    help: { text: `See ${links.get(id)}.` },
  }));
  const results = files.flatMap((file) =>
    file.report.diagnostics.map((diagnostic) => result(file, diagnostic)),
  );
  const left = files.flatMap((file) => (file.report.moreCount === 0 ? [] : [more(file)]));
  // A file may be named twice, an artifact may not.
  const uris = [...new Set(files.map(({ name }) => uriOf(name)))];
  const log = {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'tutti', version, rules } },
        columnKind: 'utf16CodeUnits',
        artifacts: uris.map((uri) => ({ location: { uri } })),
        results,
        // Omitted problems count, too. Readers who see only these results should know of them.
        ...(left.length === 0
          ? {}
          : { invocations: [{ executionSuccessful: true, toolExecutionNotifications: left }] }),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function result(file: CheckedFile, diagnostic: WorkflowDiagnostic) {
  const { path, severity, topic } = diagnostic;
  return {
    ruleId: topic,
    level: severity,
    message: { text: `${fullMessage(diagnostic)} (${linkOf(diagnostic)})` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file.name) },
          ...region(file, diagnostic),
        },
        ...(path === '' ? {} : { logicalLocations: [{ fullyQualifiedName: path }] }),
      },
    ],
  };
}

const more = ({ name, report }: CheckedFile) => ({
  level: 'warning',
  message: { text: `${name}: and ${countOf(report.moreCount, 'more problem')}` },
  locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(name) } } }],
});

function region(file: CheckedFile, diagnostic: WorkflowDiagnostic) {
  const { span } = diagnostic;
  if (span === null) return {};
  return {
    region: {
      startLine: span.line,
      startColumn: span.column,
      endLine: span.endLine,
      endColumn: span.endColumn,
      snippet: { text: offendingText(file, diagnostic) },
    },
  };
}

/** Relative to where the command was started, as services expect it. */
const uriOf = (name: string): string =>
  name.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
