/** A list of runs as a command, for the terminal. */
import type { RunSearch } from '../../data/runs.ts';

/** The command that lists the same runs. A search over names and ages have no selector. */
export function runsCommand({ status, name, namespace, label }: RunSearch): string {
  const fields = [
    ...(status === undefined ? [] : [`status.phase==${status}`]),
    ...(name === undefined ? [] : [`metadata.name==${name}`]),
    ...(namespace === undefined ? [] : [`metadata.namespace==${namespace}`]),
  ];
  return [
    'tutti workflows',
    ...(fields.length === 0 ? [] : [`--field-selector ${quoted(fields.join(','))}`]),
    ...(label === undefined ? [] : [`--label-selector ${quoted(label)}`]),
  ].join(' ');
}

export const quoted = (text: string): string =>
  /^[\w.,=/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
