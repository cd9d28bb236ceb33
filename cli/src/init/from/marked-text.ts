/** Texts of pipelines of GitLab, with marks in place of their references. */
import { withMark } from './gitlab-references.ts';

/** The reader of YAML refuses tags, and says where they are. References are known by theirs. */
export async function withMarks(text: string): Promise<string> {
  if (!text.includes('!reference')) return text;
  const [yaml, { readYaml }] = await Promise.all([
    import('yaml'),
    import('@tutti/manifests/documents'),
  ]);
  const reading = readYaml(yaml, text);
  if (reading.ok) return text;
  const lines = text.split('\n');
  // The last one of a line first: marks are longer.
  for (const { span } of reading.problems.toReversed()) {
    const line = span === null ? undefined : lines[span.line - 1];
    if (span !== null && line !== undefined) lines[span.line - 1] = withMark(line, span.column);
  }
  return lines.join('\n');
}
